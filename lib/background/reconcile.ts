/** What is known of one generated object when something around it changed. */
export interface DownstreamState {
  /** The rule that made it; `deleted` with its last wishes when rule or policy are gone. */
  readonly rule: {
    readonly state: "present" | "deleted";
    readonly synchronize: boolean;
    /** `orphanDownstreamOnPolicyDelete`. */
    readonly onPolicyDelete: "orphan" | "delete";
  };
  /** `ceased` when it was deleted or no longer matches. */
  readonly trigger: "present" | "gone";
  /** What it is a clone of; `none` for data. */
  readonly source: "present" | "deleted" | "none";
  /** The object itself, beside what the rule says of it. */
  readonly target: "missing" | "in-step" | "drifted";
}

/** What is to be done about it, and why. */
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
