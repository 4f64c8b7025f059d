import type { CompiledPolicy, WebhookPhase } from "../../engine/mod.ts";
import { isFault, isObject, type Json, type Stages } from "../../json/mod.ts";
import { compileLabelSelector } from "../../kube/mod.ts";
import type { ConstraintSection } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { familyOf, isGenerating, type WebhookFamily } from "./families.ts";
import type { ConditionsOf } from "./cached_conditions.ts";
import type { TargetsOf } from "./cached_targets.ts";
import { type Member, partedByNamespace, partedByScope, targetsTogether } from "./parted_members.ts";
import { isShadowed, joinedCoverage, type VersionCoverage, versionCoverages } from "./version_coverage.ts";
import { allConditional, conditionalOfNamespaces, ofNamespaces } from "./routes.ts";
import type { Target } from "./target.ts";

/**
 * The policies that share webhooks although their conditions and selectors differ; Postern evaluates all of these
 * itself.
 */
export type Sharing = "none" | "namespaces" | "all";

/** The policies that get the objects that are written in another version of their resource: see {@link groupsOf}. */
export type VersionsFor = "all" | "policies of the cluster" | "none";

/** How few webhooks the policies get. */
export interface Grouping {
  readonly sharing: Sharing;
  readonly versionsFor: VersionsFor;
  /** Whether policies of namespaces that are about other objects have webhooks apart. */
  readonly namespaces: "apart" | "together";
}

/** The most characters of a policy's key in a webhook's name, which has at most 253 (RFC 1123). */
const longestKeyInName = 180;

/** The policies of one webhook. */
export interface Group {
  readonly family: WebhookFamily;
  readonly phase: WebhookPhase;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly members: readonly Member[];
  /** The key of the only policy, when its webhook is separate. */
  readonly policyKey: string | undefined;
  readonly selectors: Selectors;
  /** The end of the path of policies that share a webhook apart from the others; `undefined` for the others. */
  readonly pathEnd: string | undefined;
  /** Whether the webhook is only about objects that the API server converts for it. */
  readonly isForConverted: boolean;
  /** The targets of the webhook at whose path the same policies are evaluated; none for most groups. */
  readonly besides: readonly Target[];
  /** The number of the webhook among those that share a name otherwise, from 1. */
  readonly part: number;
}

/** The most policies in a path: a longer path would come near the limit of HTTP servers. */
const mostInPath = 40;

/** The policies of webhooks, and the facts from which they are grouped. */
export interface GroupInput {
  readonly policies: readonly CompiledPolicy[];
  readonly served: readonly ServedResource[];
  readonly targetsOf: TargetsOf;
  readonly conditionsOf: ConditionsOf;
}

/**
 * The groups of the policies of one family and phase, whose webhooks have different names. Each stage adds a policy to
 * its group.
 */
export function* groupsOf(
  { policies, served, targetsOf, conditionsOf }: GroupInput,
  { family, phase, sharing, versionsFor, namespaces }: Pick<Group, "family" | "phase"> & Grouping,
): Stages<Group[]> {
  const groups = new Map<string, Group & { readonly members: Member[] }>();
  for (const compiled of policies) {
    if (familyOf(compiled) !== family) continue;
    yield;
    const targets = targetsOf(compiled, phase);
    if (targets.length === 0 || !hasUsableSelectors(compiled)) continue;
    const traits = traitsOf(compiled, sharing, conditionsOf), key = keyOf(traits);
    const member = { compiled, targets }, existing = groups.get(key);
    if (existing !== undefined) existing.members.push(member);
    else groups.set(key, { family, phase, ...traits, members: [member], ...single });
  }
  const all: Group[] = [];
  for (const group of groups.values()) {
    for (const each of yield* ofVersions(group, { served, targetsOf, versionsFor })) {
      for (const part of yield* ofScopes(each, namespaces)) all.push(...inParts(part));
    }
    yield;
  }
  return numbered(all);
}

/** The traits by which policies are grouped: those of one group have the same webhook. */
type Traits = Pick<Group, "failurePolicy" | "policyKey" | "selectors" | "pathEnd">;

function traitsOf(compiled: CompiledPolicy, sharing: Sharing, conditionsOf: ConditionsOf): Traits {
  const { policy } = compiled;
  const shares = sharing === "all" || sharing === "namespaces" && policy.namespace !== undefined;
  return {
    failurePolicy: isGenerating(compiled) ? "Ignore" : policy.failurePolicy,
    policyKey: !shares && needsSeparateWebhook(compiled, conditionsOf) ? policy.key : undefined,
    selectors: shares ? noSelectors : selectorsOf(compiled),
    pathEnd: shares ? conditionalPath(compiled, sharing) : undefined,
  };
}

/** A text that is the same for policies of one group. A policy with a separate webhook is alone in its group. */
function keyOf({ failurePolicy, policyKey, selectors, pathEnd = "" }: Traits): string {
  return JSON.stringify([failurePolicy, policyKey ?? "", policyKey === undefined ? selectors : "", pathEnd]);
}

const single = { isForConverted: false, besides: [], part: 1 } as const;

/**
 * The groups of a group's policies so that each policy gets the objects of its resources in whatever version they are
 * written: see {@link versionCoverages}. The path of policies in CEL names them, so those that do not go together are
 * parted. At the path of kyverno.io's kinds all are evaluated: a rule that would miss objects has a webhook besides,
 * for those that the API server converts.
 */
function* ofVersions(
  group: Group,
  { served, targetsOf, versionsFor }: {
    readonly served: readonly ServedResource[];
    readonly targetsOf: TargetsOf;
    readonly versionsFor: VersionsFor;
  },
): Stages<Group[]> {
  const { family, phase, members, policyKey, pathEnd } = group;
  if (policyKey !== undefined || pathEnd !== undefined || versionsFor === "none") return [group];
  const isMended = ({ policy }: CompiledPolicy): boolean =>
    versionsFor === "all" || policy.namespace === undefined;
  const versions = { served, isCompleteFor: () => true };
  if (family.word !== "") {
    if (!members.every(({ compiled }) => isMended(compiled))) return [group];
    const coverages = yield* versionCoverages(members.map(({ targets }) => targets), versions);
    return (yield* alike(members, coverages)).map((members) => ({ ...group, members }));
  }
  const ofRules: Member[] = [];
  for (const { compiled } of members) {
    for (const rule of compiled.rules) {
      ofRules.push({ compiled, targets: targetsOf({ ...compiled, rules: [rule] }, phase) });
    }
    yield;
  }
  const coverages = yield* versionCoverages(ofRules.map(({ targets }) => targets), versions);
  const joined = joinedCoverage(coverages);
  const shadowed = ofRules.filter(({ compiled }, index) =>
    isMended(compiled) && isShadowed(coverages[index]!, joined)
  );
  const added = [...Map.groupBy(shadowed, ({ compiled }) => compiled).values()].map((members): Group => ({
    ...group,
    members,
    policyKey: members[0]!.compiled.policy.key,
    isForConverted: true,
  }));
  return [group, ...added];
}

/** Policies that go together, with the versions in which they name resources. */
interface AlikePolicies {
  readonly members: Member[];
  readonly coverage: Map<string, string>;
}

/** Parts policies whose coverages differ in a resource that both name. */
function* alike(members: readonly Member[], coverages: readonly VersionCoverage[]): Stages<Member[][]> {
  const parts: AlikePolicies[] = [];
  for (const [index, member] of members.entries()) {
    const texts = [...coverages[index]!].map(([key, versions]) =>
      [key, [...versions].sort().join()] as const
    );
    const fits = ({ coverage }: AlikePolicies): boolean =>
      texts.every(([key, text]) => (coverage.get(key) ?? text) === text);
    const part: AlikePolicies = parts.find(fits) ?? { members: [], coverage: new Map() };
    if (part.members.length === 0) parts.push(part);
    part.members.push(member);
    for (const [key, text] of texts) part.coverage.set(key, text);
    yield;
  }
  return parts.map(({ members }) => members);
}

/** Gives policies of namespaces webhooks apart where they would widen that of the cluster or of other namespaces. */
function* ofScopes(group: Group, namespaces: Grouping["namespaces"]): Stages<Group[]> {
  const { family, members, policyKey, pathEnd } = group;
  const isShared = policyKey === undefined && pathEnd === undefined;
  if (!isShared || family.word !== "" && !family.namespaced) return [group];
  const { joint, apart } = yield* partedByScope(members);
  const isOfCluster = joint.some(({ compiled: { policy } }) => policy.namespace === undefined);
  const parts: Group[] = isOfCluster ? [{ ...group, members: joint }] : [];
  const end = isOfCluster ? ofNamespaces : undefined, others = isOfCluster ? apart : joint;
  const parted = namespaces === "apart" ? yield* partedByNamespace(others) : [others];
  const besides = isOfCluster ? targetsTogether(joint) : [];
  for (const members of parted) {
    if (members.length > 0) parts.push({ ...group, members, besides, pathEnd: end });
  }
  return parts;
}

/**
 * Splits a group whose path would be too long. Paths of kyverno.io's kinds do not name policies, so they are never
 * split.
 */
function inParts(group: Group): Group[] {
  const { family, members } = group;
  if (family.word === "" || members.length <= mostInPath) return [group];
  return Array.from({ length: Math.ceil(members.length / mostInPath) }, (_, index) => ({
    ...group,
    members: members.slice(index * mostInPath, (index + 1) * mostInPath),
  }));
}

/** Numbers the webhooks of one configuration that would have the same name. */
function numbered(groups: readonly Group[]): Group[] {
  const counts = new Map<string, number>();
  return groups.map((group) => {
    const name = nameOf(group, "");
    const part = (counts.get(name) ?? 0) + 1;
    counts.set(name, part);
    return { ...group, part };
  });
}

/** The name of a group's webhook. */
export function nameOf(
  { family, phase, failurePolicy, policyKey, pathEnd, part }: Group,
  prefix: string,
): string {
  const word = family.word === "" ? "" : `${family.word}.`;
  const key = policyKey?.replaceAll("/", "-").slice(0, longestKeyInName).replace(
    /(?<![^a-z0-9])[^a-z0-9]+$/,
    "",
  );
  const suffix = key === undefined ? pathEnd?.replaceAll("/", "-") ?? "" : `-finegrained-${key}`;
  const number = part === 1 ? "" : `-${part}`;
  return `${word}${phase}.${prefix}.svc-${failurePolicy.toLowerCase()}${suffix}${number}`;
}

/**
 * Kyverno parity: a policy with conditions, an exact match or a timeout of its own has a webhook of its own. Pinned
 * by "webhooks: policies of each failurePolicy share one, and policies with match conditions get separate ones".
 */
function needsSeparateWebhook(compiled: CompiledPolicy, conditionsOf: ConditionsOf): boolean {
  const { policy } = compiled;
  // Postern evaluates conditions of these kinds at a path that names the policy alone.
  if (familyOf(compiled)?.word === "") return policy.matchConditions.length > 0;
  if (conditionsOf(compiled).length > 0) return true;
  return constraintsOf(compiled)?.matchPolicy === "Exact" || policy.timeoutSeconds !== undefined;
}

/** At the path of their failurePolicy, policies of kyverno.io with conditions are not evaluated. */
function conditionalPath(compiled: CompiledPolicy, sharing: Sharing): string | undefined {
  if (familyOf(compiled)?.word !== "" || compiled.policy.matchConditions.length === 0) return undefined;
  return sharing === "all" ? allConditional : conditionalOfNamespaces;
}

/** The constraints of a policy, which only those in CEL have. */
export function constraintsOf({ policy }: CompiledPolicy): ConstraintSection | undefined {
  return policy.language === "cel" ? policy.sections.constraints : undefined;
}

/** The selectors of policies. */
interface Selectors {
  readonly namespaceSelector: Json;
  readonly objectSelector: Json;
}

/**
 * Whether the API server accepts the selectors of a policy. For one that it does not accept it would refuse the whole
 * configuration. Such a selector selects nothing; the policy's status and diagnostics say so.
 */
function hasUsableSelectors(compiled: CompiledPolicy): boolean {
  return Object.values(selectorsOf(compiled)).every((selector) =>
    !isObject(selector) || !isFault(compileLabelSelector(selector))
  );
}

const noSelectors: Selectors = { namespaceSelector: null, objectSelector: null };

function selectorsOf(compiled: CompiledPolicy): Selectors {
  const constraints = constraintsOf(compiled);
  return {
    namespaceSelector: constraints?.namespaceSelector ?? null,
    objectSelector: constraints?.objectSelector ?? null,
  };
}

/** The path that the API server calls for a group. The API server accepts only names between slashes (RFC 1123). */
export function pathOf({ family, phase, failurePolicy, members, policyKey, pathEnd }: Group): string {
  if (family.word !== "") {
    const keys = members.map(({ compiled }) => compiled.policy.key).join("/");
    return family.phases.length > 1 ? `/${family.word}/${phase}/${keys}` : `/${family.word}/${keys}`;
  }
  const finegrained = policyKey === undefined ? pathEnd ?? "" : `/finegrained/${policyKey}`;
  return `/${phase}/${failurePolicy.toLowerCase()}${finegrained}`;
}
