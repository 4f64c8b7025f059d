import type { Authority } from "../../certificates/mod.ts";

/** The source of the serving certificate in the manifests. */
export type CertificateSource =
  /**
   * Postern makes it in the cluster, keeps it in a Secret that its replicas share, and writes its authority into the
   * webhooks.
   */
  | { readonly from: "postern" }
  /** cert-manager makes it and writes its authority into the webhooks. */
  | { readonly from: "cert-manager" }
  /** The manifests contain it, with its key: PEM texts, and the authority to trust. */
  | { readonly from: "texts"; readonly cert: string; readonly key: string; readonly ca: Authority["cert"] };

/** The options of the manifests. */
export interface ManifestOptions {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly certificate: CertificateSource;
  /** The path below which reviews are accepted, which only the API server and the pods have; none when absent. */
  readonly secretPath?: string | undefined;
  /** The checksum of the policies: the pods carry it, so that a change of policies rolls them out. */
  readonly checksum: string;
  /** Whether Postern also follows policies in the cluster. */
  readonly follows: boolean;
  /** The only namespace whose exceptions in the cluster count: `*`, or absent, for all, and empty for none. */
  readonly exceptionNamespace?: string | undefined;
  /** `--dialect` of the server. */
  readonly dialect: "classic" | "current";
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures?: boolean;
  /** The address of an OTLP collector that accepts traces over HTTP; no traces when absent. */
  readonly traces?: string | undefined;
}

/** The name of all objects of an installation. */
export const appName = "postern";

/** The labels of all objects. */
export const labels = { "app.kubernetes.io/name": appName, "app.kubernetes.io/managed-by": appName };

/** The labels that select the pods. */
export const podLabels = { "app.kubernetes.io/name": appName };

/** The name of the Secret with the serving certificate. */
export const certificateSecret = `${appName}-tls`;

/** The name of the Secret with the secret path. */
export const pathSecret = `${appName}-path`;

/** The names under which the API server calls the Service. */
export function serviceNames(namespace: string): string[] {
  const name = `${appName}.${namespace}.svc`;
  return [name, `${name}.cluster.local`];
}

/** `metadata` of an object. */
export function metadata(name: string, namespace?: string): { [field: string]: string | typeof labels } {
  return { name, ...(namespace !== undefined && { namespace }), labels };
}
