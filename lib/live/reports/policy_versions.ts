import type { CompiledPolicy, Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { LocatedDocument } from "../../policy/mod.ts";
import { textDigest } from "./text_digest.ts";

/**
 * The versions of policies: digests of what their results depend on besides loaded values, which are a policy's text
 * and its exceptions. Each is computed once for a compiled form: when one policy changes, those of all others stay.
 */
export class PolicyVersions {
  readonly #ofPolicies = new WeakMap<CompiledPolicy, string>();
  readonly #ofExceptions = new WeakMap<readonly LocatedDocument[], string>();

  /** The version of a policy of a snapshot. */
  of(compiled: CompiledPolicy, { others }: Pick<Snapshot, "others">): string {
    let version = this.#ofPolicies.get(compiled);
    if (version === undefined) this.#ofPolicies.set(compiled, version = versionOf(compiled));
    return compiled.policy.language === "classic"
      ? version
      : `${version} ${this.#versionOfExceptions(others)}`;
  }

  #versionOfExceptions(others: readonly LocatedDocument[]): string {
    let version = this.#ofExceptions.get(others);
    if (version === undefined) {
      const specs = others.filter(({ kind }) => kind === "PolicyException")
        .map(({ document }) => document["spec"] ?? null);
      this.#ofExceptions.set(others, version = textDigest(JSON.stringify(specs)));
    }
    return version;
  }
}

function versionOf({ policy, rules }: CompiledPolicy): string {
  const { metadata, spec = null, kind = "" } = policy.document;
  const { annotations = null, labels = null } = metadata as JsonObject;
  const exceptions = rules.flatMap((rule) => rule.exceptions.all.map(({ exception }) => exception));
  return textDigest(JSON.stringify([kind, policy.key, annotations, labels, spec, exceptions]));
}
