import type { Authority } from "../certificates/issue_certificate.ts";

/** Where the serving certificate of the manifests comes from. */
export type CertificateSource =
  /**
   * Postern makes it in the cluster, keeps it in a Secret that its replicas share, and writes its authority into the
   * webhooks.
   */
  | { readonly from: "postern" }
  /** cert-manager makes it and writes its authority into the webhooks. */
  | { readonly from: "cert-manager" }
  /** It stands in the manifests, with its key: PEM texts, and the authority to trust. */
  | { readonly from: "texts"; readonly cert: string; readonly key: string; readonly ca: Authority["cert"] };

/** The options of the manifests. */
export interface ManifestOptions {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly certificate: CertificateSource;
  /** Path below which reviews are taken, which only the API server and the pods know; none when absent. */
  readonly secretPath?: string | undefined;
  /** The checksum of these policies: the pods carry it, so that other policies roll them out. */
  readonly checksum: string;
  /** Whether policies are objects of the cluster, which Postern follows; those of files come on top. */
  readonly follows: boolean;
  /** `--dialect` of the server. */
  readonly dialect: "classic" | "current";
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures?: boolean;
  /** The address of an OTLP collector that takes traces over HTTP; none are made when absent. */
  readonly traces?: string | undefined;
}

/** The name of all objects of an installation. */
export const appName = "postern";

/** Labels of all objects. */
export const labels = { "app.kubernetes.io/name": appName, "app.kubernetes.io/managed-by": appName };

/** Labels by which the pods are found. */
export const podLabels = { "app.kubernetes.io/name": appName };

/** Name of the Secret that holds the serving certificate. */
export const certificateSecret = `${appName}-tls`;

/** Name of the Secret that holds the secret path. */
export const pathSecret = `${appName}-path`;

/** Names by which the API server calls the service. */
export function serviceNames(namespace: string): string[] {
  const name = `${appName}.${namespace}.svc`;
  return [name, `${name}.cluster.local`];
}

/** `metadata` of an object. */
export function metadata(name: string, namespace?: string): { [field: string]: string | typeof labels } {
  return { name, ...(namespace !== undefined && { namespace }), labels };
}
