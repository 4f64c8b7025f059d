import type { CompiledRule } from "../../engine/mod.ts";
import { type ResourceRule, resourcesOfRule } from "../../match/mod.ts";
import {
  type DiscoveredKind,
  type ServedVersions,
  type Target,
  type TargetResource,
  targetResources,
  unseenKinds,
} from "../../live/mod.ts";
import {
  builtinKind,
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

/** The targets of a rule in CEL, which names resources of the API. */
function targetsOfResources(rule: ResourceRule): Target[] {
  const { operations, scope } = rule;
  return resourcesOfRule(rule).map((resource) => ({ ...resource, scope, operations }));
}

/** The subresources that are called by CONNECT. */
const connected = ["exec", "attach", "portforward", "proxy"];

/** Plurals that a cluster gave, by the kind as policies write it (`example.com/v1/Datum`). */
export type Plurals = ReadonlyMap<string, string>;

/** The scope of a rule's policy, and what is done with guesses. */
export interface WebhookTargetOptions {
  /** Whether the policy is one of a namespace. */
  readonly namespaced: boolean;
  /** Whether a kind without a group is looked for in all groups, not only where plain Kubernetes has it. */
  readonly everyGroup?: boolean;
  /** The plurals of kinds that plain Kubernetes does not serve, by the kind as policies write it. */
  readonly plurals?: Plurals | undefined;
  /** Receives the kinds whose resources are guessed. */
  readonly guessed: (kind: GuessedKind) => void;
}

/** The requests that a rule must see: the resources of its kinds, and the operations for which it can have a result. */
export function webhookTargets(rule: CompiledRule, options: WebhookTargetOptions): Target[] {
  const { resources } = rule.selector;
  if (resources !== undefined) return resources.flatMap(targetsOfResources);
  const { form, filters } = rule.selector.match;
  // All these filters must match, so the webhook needs only the first.
  const used = form === "all" ? filters.slice(0, 1) : filters;
  return used.flatMap(({ kinds, operations: written }) => {
    const selectors = (kinds.length === 0 ? ["*"] : kinds).flatMap(parseKindSelectors);
    return selectors.flatMap((selector) => {
      const operations = operationsOf(rule, written, selector);
      return operations.length === 0
        ? []
        : plainResources(selector, options).map((target) => ({ ...target, operations }));
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
  return kinds.flatMap(parseKindSelectors).flatMap((selector) =>
    plainResources(selector, { namespaced: false, guessed }).filter(({ resource }) => !resource.includes("/"))
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
  return [
    ...connected.some(compileWildcard(subresource)) ? ["CONNECT"] : [],
    "CREATE",
    ...patternKinds.includes(rule.kind) ? [] : ["DELETE"],
    "UPDATE",
  ];
}

/** The kinds of rule bodies that check the new object, which a deletion does not have. */
const patternKinds = ["pattern", "anyPattern", "podSecurity"];

/** The kinds of plain Kubernetes that no policy sees. */
const unseen = unseenKinds();

/** The kinds of plain Kubernetes that policies see. Events, ReplicaSets and others need no webhook call by default. */
const plainKinds: readonly DiscoveredKind[] = builtinKinds.filter((kind) => !unseen.includes(kind))
  .map((kind) => ({
    ...kind,
    subresources: kind.subresources.map((name) => ({ name })),
    preferred:
      builtinKinds.find(({ group, plural }) => group === kind.group && plural === kind.plural) === kind,
  }));

/** The groups of plain Kubernetes, which have no custom kinds. */
const plainGroups: ReadonlySet<string> = new Set(builtinKinds.map(({ group }) => group));

/** The versions of the resources of plain Kubernetes. */
export const plainVersions: ServedVersions = {
  served: builtinKinds,
  isCompleteFor: (group) => plainGroups.has(group),
};

/**
 * The resources of a kind in plain Kubernetes. For a kind that it does not serve, the resource is guessed. A kind with
 * wildcards may also select custom kinds, which are not listed here: it stands for all resources.
 */
function plainResources(
  selector: KindSelector,
  { namespaced, everyGroup = false, plurals, guessed }: WebhookTargetOptions,
): TargetResource[] {
  const { group, version, kind, subresource, text } = selector;
  const found = targetResources(text, { served: plainKinds, namespaced, everyVersion: true });
  if (kind === "" || kind === "*") return found;
  const target = { group: literal(group), version: literal(version) };
  if (hasWildcard(kind)) {
    if (plainGroups.has(group)) return found;
    const resource = subresource === "" ? "*" : `*/${literal(subresource)}`;
    return [...found, { ...target, resource, scope: namespaced ? "Namespaced" : "*" }];
  }
  if (everyGroup && found.length > 0 && hasWildcard(group)) {
    return inEveryGroup(found, { ...target, scope: namespaced ? "Namespaced" : "*" });
  }
  if (found.length > 0 || isUnseen(selector)) return found;
  const served = plurals?.get(text), plural = served ?? pluralOf(kind);
  const resource = subresource === "" ? plural : `${plural}/${literal(subresource)}`;
  // A built-in kind has the same resource in each version, and custom kinds that are called like it nearly always do.
  if (served === undefined && builtinKind(kind) === undefined) guessed({ kind: text, resource });
  return [{ ...target, resource, scope: "*" }];
}

/**
 * Built-in resources, in all groups besides: policies are also about custom kinds that are called like built-in ones
 * (the NetworkPolicy of Calico, the Service of Knative, the Job of Volcano), nearly all of which have the same plural.
 */
function inEveryGroup(
  found: readonly TargetResource[],
  target: Omit<TargetResource, "resource">,
): TargetResource[] {
  return found.flatMap((each) => each.resource.includes("/") ? [each] : [each, { ...each, ...target }]);
}

function isUnseen(selector: KindSelector): boolean {
  const isGroup = compileWildcard(selector.group);
  return unseen.some(({ group, kind }) => kind === selector.kind && isGroup(group));
}

/** Webhooks support `*` and literal names, but no other wildcards. */
function literal(text: string): string {
  return hasWildcard(text) ? "*" : text;
}
