import type { Installation } from "../../lib/live/mod.ts";
import type { Log } from "../../lib/ports.ts";

/** A log of which nothing is read. */
export const silent: Log = { write: () => {} };

const account = "system:serviceaccount:postern:postern";

/** Postern in the namespace `postern`, with one service account for everything. */
export const installation: Installation = {
  namespace: "postern",
  service: "postern",
  servicePort: 443,
  prefix: "postern",
  path: "",
  caBundle: () => undefined,
  configMap: "postern",
  accounts: { background: account, reports: account, cleanup: account },
};

/** A policy in CEL about Pods alone, so that there are specs for controllers. */
export const onPods = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p, uid: u}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.spec.hostNetwork != true"}]
`;
