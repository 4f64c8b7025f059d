/** Whether policies of a kind consist of rules with names: ClusterPolicy and Policy do, policies in CEL do not. */
export function hasRules(kind: string): kind is "ClusterPolicy" | "Policy" {
  return kind === "ClusterPolicy" || kind === "Policy";
}
