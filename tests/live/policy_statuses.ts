/** The statuses of policies, in force in a cluster. */
import { fixedClock } from "../adapters/fakes.ts";
import { compile, type CompiledPolicy } from "../../lib/engine/mod.ts";
import { PolicyStatuses } from "../../lib/live/policy_statuses.ts";
import type { Cluster, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { silent } from "./setting.ts";

export function compiled(text: string): CompiledPolicy {
  const { policies } = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
  return policies[0]!;
}

export const served: ServedResource[] = [{
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  verbs: ["list", "watch"],
  subresources: [],
  preferred: true,
}];

export const enforcement = {
  configured: true,
  generated: false,
  missingRights: [],
  missingRules: "",
  notGenerated: "",
};

export function statusesIn(cluster: Cluster): PolicyStatuses {
  const accounts = { background: "b", reports: "r", cleanup: "c" };
  return new PolicyStatuses({
    cluster,
    clock: fixedClock(0),
    log: silent,
    accounts,
    leads: () => true,
    retryLater() {},
  });
}
