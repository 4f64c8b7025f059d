/** The names under which Postern is installed in a cluster. */
export interface Installation {
  /** The namespace that holds its Service, leases, certificates and settings. */
  readonly namespace: string;
  readonly service: string;
  readonly servicePort: number;
  /**
   * The beginning of the names of its webhook configurations and webhooks: `PREFIX-resource-validating-webhook-cfg`.
   */
  readonly prefix: string;
  /** The prefix of every path that the API server calls; empty without a secret path. */
  readonly path: string;
  /** The authority that signed the present serving certificate, in base64 of PEM. */
  readonly caBundle: () => string | undefined;
  /** The service accounts whose rights limit the effects of policies: `system:serviceaccount:NAMESPACE:NAME`. */
  readonly accounts: Accounts;
  /** The ConfigMap with the dynamic configuration. */
  readonly configMap: string;
}

/** The user names of the service accounts that act for policies. One account may have all roles. */
export interface Accounts {
  readonly background: string;
  readonly reports: string;
  readonly cleanup: string;
}

/**
 * The labels of every webhook configuration that is written for policies. Kyverno deletes what has its label when it
 * ends, so an installation beside it has others. One under Kyverno's names has the label that users look for.
 */
export function configurationLabels(prefix: string): Readonly<Record<string, string>> {
  return prefix === "kyverno"
    ? { "webhook.kyverno.io/managed-by": prefix }
    : { "app.kubernetes.io/name": prefix, "app.kubernetes.io/managed-by": prefix };
}
