import type { deletingPolicy as full } from "../deleting_policy.ts";
import { leftOutKind } from "./left_out_kind.ts";

export const deletingPolicy: typeof full = leftOutKind({
  group: "policies.kyverno.io",
  kinds: ["DeletingPolicy", "NamespacedDeletingPolicy"],
});
