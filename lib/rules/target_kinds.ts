import type { LoadTracker } from "../context/mod.ts";
import { asList, asString, Fault, isFault, isObject, type Json } from "../json/mod.ts";
import {
  builtinKind,
  compileWildcard,
  formatApiVersion,
  hasWildcard,
  type ListedResource,
  readGroupList,
  type ServedGroup,
} from "../kube/mod.ts";
import type { ApiCall, Cluster } from "../ports.ts";
import type { KindReference } from "./cluster_objects.ts";
import { readServedResources } from "./served_resources.ts";

/**
 * The kinds that a target means: one in each API group that serves it, or several with wildcards. Kyverno parity:
 * groups, versions, kinds and subresources may have wildcards, and a version without a group means any group. Pinned by
 * "a target's apiVersion and kind may have wildcards". Of several versions of a group only one counts: their objects
 * are the same.
 */
export function targetKinds(tracker: LoadTracker, kind: KindReference): readonly KindReference[] | Fault {
  if (isOneKind(kind)) return [kind];
  const { apiVersion, subresource = "" } = kind;
  const answer = tracker.load(
    `kinds ${apiVersion} ${kind.kind} ${subresource}`,
    () => findKinds(tracker.ports.cluster, kind, tracker.call),
  );
  if (isFault(answer)) return answer;
  return asList(answer).filter(isObject).map((each) => ({
    apiVersion: asString(each["apiVersion"]) ?? "",
    kind: asString(each["kind"]) ?? "",
    subresource: asString(each["subresource"]) ?? "",
  }));
}

/** Whether a target means one kind, which shows without a read of the cluster's API groups. */
export function isOneKind({ apiVersion, kind, subresource = "" }: KindReference): boolean {
  if (hasWildcard(kind) || hasWildcard(subresource)) return false;
  if (builtinKind(kind, apiVersion) !== undefined) return true;
  return !hasWildcard(apiVersion) && (apiVersion === "" || apiVersion.includes("/"));
}

async function findKinds(
  cluster: Cluster,
  wanted: KindReference,
  call: Partial<ApiCall>,
): Promise<Json | Fault> {
  const { apiVersion, kind, subresource = "" } = wanted, slash = apiVersion.indexOf("/");
  const isGroup = compileWildcard(slash < 0 ? "*" : apiVersion.slice(0, slash));
  const isVersion = compileWildcard(apiVersion.slice(slash + 1));
  const answer = await cluster.call({ method: "GET", path: "/apis", ...call });
  if (!answer.ok) return new Fault(`the cluster does not say what it serves: ${answer.message}`);
  const groups = readGroupList(answer.body)
    .filter(({ group }) => isGroup(group))
    .map(({ group, versions }) => ({ group, versions: versions.filter(isVersion) }));
  const search = { wanted, cluster, call };
  const isPlain = !hasWildcard(kind) && !hasWildcard(subresource);
  const found = await Promise.all(
    groups.map((group) => isPlain ? servedKind(group, search) : servedKinds(group, search)),
  );
  const fault = found.find(isFault);
  if (fault !== undefined) return fault;
  const kinds = found.flatMap((each) => isFault(each) ? [] : each);
  const text = subresource === "" ? kind : `${kind}/${subresource}`;
  return kinds.length > 0
    ? kinds.map((each) => ({ ...each }))
    : new Fault(`the cluster does not serve ${apiVersion}/${text}`);
}

/** The kinds to find. */
interface KindSearch {
  readonly wanted: KindReference;
  readonly cluster: Cluster;
  readonly call: Partial<ApiCall>;
}

/** The kinds of a group that fit wildcards, each in the first of the versions that serves it. */
async function servedKinds(
  { group, versions }: ServedGroup,
  { wanted, cluster, call }: KindSearch,
): Promise<readonly KindReference[] | Fault> {
  const { kind, subresource = "" } = wanted;
  const isKind = compileWildcard(kind), isSubresource = compileWildcard(subresource);
  const found = new Map<string, ListedResource>();
  for (const version of versions) {
    const served = await readServedResources(cluster, formatApiVersion({ group, version }), call);
    if (isFault(served)) return served;
    for (const each of served) if (isKind(each.kind) && !found.has(each.plural)) found.set(each.plural, each);
  }
  return [...found.values()].flatMap((each): KindReference[] => {
    const whole = { apiVersion: formatApiVersion(each), kind: each.kind };
    const parts = each.subresources.filter(isSubresource).map((name) => ({ ...whole, subresource: name }));
    // Only "*/*" means the objects besides their subresources.
    return subresource === "" ? [whole] : kind === "*" && subresource === "*" ? [whole, ...parts] : parts;
  });
}

/** A kind of a group in the first of the versions that serves it. */
async function servedKind(
  { group, versions }: ServedGroup,
  { wanted, cluster }: KindSearch,
): Promise<readonly KindReference[]> {
  for (const version of versions) {
    const apiVersion = formatApiVersion({ group, version });
    if (await cluster.resource(apiVersion, wanted.kind) !== undefined) return [{ ...wanted, apiVersion }];
  }
  return [];
}
