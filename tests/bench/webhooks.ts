/** The webhooks that an API server calls in the benchmark, and the objects that register them. */
import { type Command, floorCommand, serveCommand } from "../support/image.ts";
import type { Bench } from "./bench.ts";

/** A webhook with a namespace of its own, so that all can be registered at once. */
export interface Webhook {
  readonly namespace: string;
  readonly title: string;
  readonly path: string;
  /** The name by which the API server counts its calls. */
  readonly name: string;
  /** The bare webhook that it is compared with: one that gives the same answer without deciding anything. */
  readonly floor?: string;
  /** Whether the goals for Postern count; when absent, where there is a floor. */
  readonly counts?: boolean;
}

/** A webhook whose server the benchmark starts and registers; none where there is no webhook. */
export interface ServedWebhook extends Webhook {
  readonly command?: Command;
}

/** The webhooks, which share a folder of certificates. */
export async function webhooksOf(
  { inputs, image, folder }: Bench,
  certificates: string,
): Promise<readonly ServedWebhook[]> {
  const patch = `${folder}/patch-12.yaml`;
  await Deno.writeTextFile(patch, labelsPolicy(12));
  const certificateArguments = ["--cert-dir", certificates];
  const webhooks: readonly Omit<ServedWebhook, "name">[] = [
    { namespace: "without", title: "no webhook", path: "/" },
    {
      namespace: "bare",
      title: "a bare webhook that allows",
      command: floorCommand(image, "allow", certificates),
      path: "/",
    },
    {
      namespace: "bare-patch",
      title: "a bare webhook that answers with 12 labels",
      command: floorCommand(image, "patch", certificates),
      path: "/",
    },
    {
      namespace: "allowed",
      title: "Postern, 17 pod security policies",
      command: serveCommand(image, [inputs.security], certificateArguments),
      path: "/validate/fail",
      floor: "bare",
    },
    {
      namespace: "patched",
      title: "Postern, a patch of 12 labels",
      command: serveCommand(image, [patch], certificateArguments),
      path: "/mutate/fail",
      floor: "bare-patch",
    },
  ];
  return webhooks.map((webhook) => ({ ...webhook, name: `${webhook.namespace}.bench.postern.local` }));
}

/** The list of objects that registers webhooks by Service, each at the port of its server. */
export function registration(
  webhooks: readonly ServedWebhook[],
  ports: ReadonlyMap<string, number>,
  caBundle: string,
): string {
  const items = [
    ...webhooks.map(({ namespace }) => namespaceObject(namespace)),
    namespaceObject("postern"),
    service,
    ...webhooks.flatMap((webhook) => {
      const port = ports.get(webhook.namespace);
      return port === undefined ? [] : [configuration(webhook, port, caBundle)];
    }),
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

function namespaceObject(name: string): unknown {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

/** The API server dials the external name as it stands; a loopback address stays on this machine. */
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "postern", namespace: "postern" },
  spec: { type: "ExternalName", externalName: "127.0.0.1" },
};

function configuration({ namespace, name, path }: Webhook, servicePort: number, caBundle: string): unknown {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `bench-${namespace}` },
    webhooks: [{
      name,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      clientConfig: { caBundle, service: { name: "postern", namespace: "postern", port: servicePort, path } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    }],
  };
}

function labelsPolicy(count: number): string {
  const labels = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`example.com/label-${index}`, `value-${index}`]),
  );
  return JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "labels" },
    spec: {
      rules: [{
        name: "labels",
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        mutate: { patchStrategicMerge: { metadata: { labels } } },
      }],
    },
  });
}
