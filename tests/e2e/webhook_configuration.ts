import type { Started } from "./kubectl.ts";

/** A webhook that the API server calls by URL, for objects of one namespace. */
export interface TestWebhook {
  readonly name: string;
  readonly path: string;
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** The core group by default. */
  readonly apiGroup?: string;
  readonly failurePolicy?: "Fail" | "Ignore";
  /** 10 by default. */
  readonly timeoutSeconds?: number;
}

/** A webhook configuration as JSON, whose webhooks call a Postern that was started as a process. */
export function webhookConfiguration(
  { kind, name }: { readonly kind: "Validating" | "Mutating"; readonly name: string },
  { url, caBundle }: Pick<Started, "url" | "caBundle">,
  webhooks: readonly TestWebhook[],
): string {
  return JSON.stringify({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: webhooks.map((
      {
        name,
        path,
        namespace,
        resources,
        operations,
        apiGroup = "",
        failurePolicy = "Fail",
        timeoutSeconds = 10,
      },
    ) => ({
      name,
      clientConfig: { url: `${url}${path}`, caBundle },
      rules: [{ apiGroups: [apiGroup], apiVersions: ["v1"], operations, resources }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      failurePolicy,
      sideEffects: "NoneOnDryRun",
      admissionReviewVersions: ["v1"],
      timeoutSeconds,
    })),
  });
}
