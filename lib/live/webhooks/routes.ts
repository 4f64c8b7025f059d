import { type CompiledPolicy, restrict, type Snapshot, type WebhookPhase } from "../../engine/mod.ts";
import { BoundedCache } from "../../json/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { webhookFamilies } from "./families.ts";

/** The policies of the webhook at a path. */
export interface WebhookRoute {
  readonly snapshot: Snapshot;
  readonly route: { readonly phase: WebhookPhase };
}

/** The end of the path for all policies of kyverno.io with conditions, and for those of namespaces among them. */
export const allConditional = "/conditional", conditionalOfNamespaces = "/conditional/namespaces";

/** The end of the path for the policies of namespaces whose webhook is called for their namespaces alone. */
export const ofNamespaces = "/namespaces";

/** The most cached paths: they come from webhook configurations, but a caller may send any path. */
const mostPaths = 512;

/**
 * Finds the policies of a path: `/vpol/NAME/NAME`, `/mpol/mutate/NAME`, and the paths of kyverno.io's kinds. It
 * caches the snapshot of a path as long as the policies are in force.
 */
export class WebhookRoutes {
  readonly #snapshot: () => Snapshot | undefined;
  #of: Snapshot | undefined;
  #classic: Snapshot | undefined;
  #found = new BoundedCache<WebhookRoute>(mostPaths);

  constructor(snapshot: () => Snapshot | undefined) {
    this.#snapshot = snapshot;
  }

  /** The policies of kyverno.io alone, which the paths `/validate` and `/mutate` evaluate. */
  classic(): Snapshot | undefined {
    const current = this.#current();
    if (current === undefined) return undefined;
    return this.#classic ??= restrict(current, ({ policy }) => hasRules(policy.kind));
  }

  /** The policies of other kinds in a path; `undefined` for the path of no webhook. */
  find(path: string): WebhookRoute | undefined {
    const current = this.#current();
    if (current === undefined) return undefined;
    const cached = this.#found.get(path);
    if (cached !== undefined) return cached;
    const selected = sharingPolicies(path) ?? policiesOf(path);
    if (selected === undefined) return undefined;
    const { isSelected, phase } = selected;
    const found = { snapshot: restrict(current, isSelected), route: { phase } };
    this.#found.set(path, found);
    return found;
  }

  #current(): Snapshot | undefined {
    const current = this.#snapshot();
    if (current !== this.#of) {
      this.#of = current;
      this.#classic = undefined;
      this.#found = new BoundedCache(mostPaths);
    }
    return current;
  }
}

/** The policies of a path. */
interface Selected {
  readonly phase: WebhookPhase;
  readonly isSelected: (compiled: CompiledPolicy) => boolean;
}

const shared = /^\/(validate|mutate)\/(fail|ignore)((?:\/conditional)?(?:\/namespaces)?)$/;

function sharingPolicies(path: string): Selected | undefined {
  const [, phase, failurePolicy, end = ""] = shared.exec(path) ?? [];
  if (phase === undefined || end === "") return undefined;
  return {
    phase: phase as WebhookPhase,
    isSelected: ({ policy }) =>
      hasRules(policy.kind) && policy.matchConditions.length > 0 === (end !== ofNamespaces) &&
      policy.failurePolicy.toLowerCase() === failurePolicy &&
      (end === allConditional || policy.namespace !== undefined),
  };
}

function policiesOf(path: string): Selected | undefined {
  // Names of policies need no escapes, and escapes from a caller may be unreadable.
  const [, word = "", ...rest] = path.split("/");
  const family = webhookFamilies.find((each) => each.word !== "" && each.word === word);
  if (family === undefined) return undefined;
  const { kinds, phases, namespaced } = family;
  const phase = phases.length === 1 ? phases[0] : phases.find((each) => each === rest[0]);
  if (phase === undefined) return undefined;
  const names = phases.length === 1 ? rest : rest.slice(1);
  const keys = namespaced ? pairs(names) : names;
  return { phase, isSelected: ({ policy }) => kinds.includes(policy.kind) && keys.includes(policy.key) };
}

/** Reads `NAMESPACE/NAME/NAMESPACE/NAME` as keys of policies. */
function pairs(names: readonly string[]): string[] {
  return names.flatMap((name, index) => index % 2 === 0 ? [`${name}/${names[index + 1] ?? ""}`] : []);
}
