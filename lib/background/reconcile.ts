/**
 * The state of one generated object after a change of its rule, trigger, source or of itself. {@link reconcile}
 * decides from it.
 */
export interface DownstreamState {
  /** The rule that generated it; `deleted` with its last settings when the rule or policy is gone. */
  readonly rule: {
    readonly state: "present" | "deleted";
    readonly synchronize: boolean;
    /** `orphanDownstreamOnPolicyDelete`. */
    readonly onPolicyDelete: "orphan" | "delete";
  };
  /** `gone` when it was deleted or no longer matches. */
  readonly trigger: "present" | "gone";
  /** The state of the object that it is a clone of; `none` for data. */
  readonly source: "present" | "deleted" | "none";
  /** The stored object, compared with the object that the rule wants. */
  readonly target: "missing" | "in-step" | "drifted";
}

/** The action that brings a generated object into step, and its reason. */
export interface Reconciliation {
  readonly action: "create" | "update" | "delete" | "leave";
  readonly why: string;
}

/**
 * Decides about a generated object. Only rules with `synchronize` follow changes. Kyverno parity: when a trigger or a
 * source is deleted, its generated object is deleted too. Pinned by tests/background/reconcile_test.ts.
 */
export function reconcile({ rule, trigger, source, target }: DownstreamState): Reconciliation {
  if (!rule.synchronize) return leave("the rule does not synchronize");
  if (rule.state === "deleted") {
    if (rule.onPolicyDelete === "orphan") return leave("the rule leaves orphans");
    return remove("its rule is gone");
  }
  if (trigger === "gone") return remove("its trigger is gone or no longer matches");
  if (source === "deleted") return remove("its source is gone");
  switch (target) {
    case "missing":
      return { action: "create", why: "it is missing" };
    case "drifted":
      return { action: "update", why: "it differs from what the rule says" };
    case "in-step":
      return leave("it is what the rule says");
  }

  function remove(why: string): Reconciliation {
    return target === "missing" ? leave(`${why}, and so is it`) : { action: "delete", why };
  }
}

function leave(why: string): Reconciliation {
  return { action: "leave", why };
}
