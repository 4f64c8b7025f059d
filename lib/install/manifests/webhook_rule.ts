import type { CompiledRule } from "../../engine/mod.ts";
import type { ResourceRule } from "../../match/mod.ts";
import { type Target, unseenKinds } from "../../live/mod.ts";
import {
  type BuiltinKind,
  builtinKinds,
  compileWildcard,
  hasWildcard,
  type KindSelector,
  parseKindSelectors,
  pluralOf,
} from "../../kube/mod.ts";

/** A kind that plain Kubernetes does not serve: its resource was guessed from its name. */
export interface GuessedKind {
  readonly kind: string;
  readonly resource: string;
}

/** The targets of a rule that names resources of the API. */
function targetsOf({ groups, versions, resources, operations, scope }: ResourceRule): Target[] {
  return groups.flatMap((group) =>
    versions.flatMap((version) =>
      resources.map((resource) => ({ group, version, resource, scope, operations }))
    )
  );
}

const connected = ["exec", "attach", "portforward", "proxy", "*"];

/** The requests that a rule must see: the resources of its kinds, and the operations for which it can have a result. */
export function webhookTargets(rule: CompiledRule, guessed: (kind: GuessedKind) => void): Target[] {
  const { resources } = rule.selector;
  if (resources !== undefined) return resources.flatMap(targetsOf);
  const { form, filters } = rule.selector.match;
  // All these filters must match, so the webhook needs only the first.
  const used = form === "all" ? filters.slice(0, 1) : filters;
  return used.flatMap(({ kinds, operations: written }) => {
    const selectors = (kinds.length === 0 ? ["*"] : kinds).flatMap(parseKindSelectors);
    return selectors.flatMap((selector) => {
      const operations = operationsOf(rule, written, selector);
      return operations.length === 0
        ? []
        : targetResources(selector, guessed).map((target) => ({ ...target, operations }));
    });
  });
}

/**
 * The kinds that a rule generates or clones, whose changes the server must see to keep generated objects in step.
 * Kinds that only a request determines are left out.
 */
export function followedTargets(
  { body: { downstream } }: CompiledRule,
  guessed: (kind: GuessedKind) => void,
): Target[] {
  if (!downstream?.synchronize) return [];
  const kinds = downstream.types.map(({ apiVersion, kind }) =>
    apiVersion === "" ? kind : `${apiVersion}/${kind}`
  );
  return kinds.flatMap(parseKindSelectors).flatMap((
    selector,
  ) =>
    targetResources(selector, guessed).filter(({ resource }) => !resource.includes("/"))
      .map((target) => ({ ...target, operations: ["DELETE", "UPDATE"] }))
  );
}

/**
 * The operations of a rule's webhook. Without operations in its match, a rule with a pattern has no result for a
 * deletion, and only some subresources have CONNECT: a webhook that is not called cannot fail.
 */
function operationsOf(
  rule: CompiledRule,
  written: readonly string[],
  { subresource }: KindSelector,
): readonly string[] {
  if (written.length > 0) return [...new Set(written)].sort();
  if (rule.type === "mutate" || rule.type === "verifyImages" || rule.type === "checkImages") {
    return ["CREATE", "UPDATE"];
  }
  if (patternKinds.includes(rule.kind)) return ["CREATE", "UPDATE"];
  return connected.includes(subresource)
    ? ["CONNECT", "CREATE", "DELETE", "UPDATE"]
    : ["CREATE", "DELETE", "UPDATE"];
}

const patternKinds = ["pattern", "anyPattern", "podSecurity"];

type TargetResource = Omit<Target, "operations">;

function targetResources(selector: KindSelector, guessed: (kind: GuessedKind) => void): TargetResource[] {
  const { group, version, kind, subresource } = selector;
  const suffix = subresource === "" ? "" : `/${subresource}`;
  if (kind === "") return [];
  if (kind === "*") {
    return [{ group: literal(group), version: literal(version), resource: `*${suffix}`, scope: "*" }];
  }
  const builtins = matching(selector);
  if (builtins.length === 0 && builtinKinds.some((each) => each.kind === kind)) return [];
  if (builtins.length > 0) return builtins.flatMap((each) => builtinTargets(each, suffix));
  if (hasWildcard(kind)) return [];
  const resource = `${pluralOf(kind)}${suffix}`;
  guessed({ kind: selector.text, resource });
  return [{ group: literal(group), version: literal(version), resource, scope: "*" }];
}

function builtinTargets(
  { kind, group, version, plural, namespaced }: BuiltinKind,
  suffix: string,
): TargetResource[] {
  const target = { group, version, scope: namespaced ? "Namespaced" as const : "Cluster" as const };
  const found = [{ ...target, resource: `${plural}${suffix}` }];
  // Kyverno parity: a rule about Pods also matches the ephemeral containers that are added to debug one. Pinned by
  // tests/deploy/manifests_test.ts.
  if (kind === "Pod" && suffix === "") found.push({ ...target, resource: "pods/ephemeralcontainers" });
  return found;
}

/** The built-in kinds that a selector matches, each in one version: the API server converts (`matchPolicy`). */
function matching({ group, version, kind }: KindSelector): BuiltinKind[] {
  const tests = {
    group: compileWildcard(group),
    version: compileWildcard(version),
    kind: compileWildcard(kind),
  };
  const found = builtinKinds.filter((each) =>
    !unseen.includes(each) && tests.kind(each.kind) && tests.group(each.group) && tests.version(each.version)
  );
  return found.filter((each, index) =>
    found.findIndex(({ group, plural }) => group === each.group && plural === each.plural) === index
  );
}

/**
 * The kinds that the server's resource filters hide from policies by default, such as Events and ReplicaSets: they need
 * no webhook call.
 */
const unseen = unseenKinds();

/** Webhooks support `*` and literal names, but no other wildcards. */
function literal(text: string): string {
  return hasWildcard(text) ? "*" : text;
}
