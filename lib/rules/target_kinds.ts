import type { LoadTracker } from "../context/mod.ts";
import { asList, asString, dig, Fault, field, isFault, isObject, type Json } from "../json/mod.ts";
import { builtinKind, compileWildcard, formatApiVersion, hasWildcard } from "../kube/mod.ts";
import type { ApiCall, Cluster } from "../ports.ts";
import type { KindReference } from "./cluster_objects.ts";

/**
 * The kinds that a target means: one in each API group that serves it. Kyverno parity: groups and versions may have
 * wildcards, and a version without a group means any group. Pinned by "a target's apiVersion may have wildcards". Of
 * several versions of a group only one counts: their objects are the same.
 */
export function targetKinds(store: LoadTracker, kind: KindReference): readonly KindReference[] | Fault {
  const { apiVersion } = kind;
  if (isOneKind(kind)) return [kind];
  const answer = store.load(
    `kinds ${apiVersion} ${kind.kind}`,
    () => findKinds(store.ports.cluster, kind, store.call),
  );
  if (isFault(answer)) return answer;
  return asList(answer).filter(isObject).map((each) => ({
    apiVersion: asString(each["apiVersion"]) ?? "",
    kind: kind.kind,
  }));
}

/** Whether a target means one kind, which is so without a look at the API groups of the cluster. */
export function isOneKind({ apiVersion, kind }: KindReference): boolean {
  if (builtinKind(kind, apiVersion) !== undefined) return true;
  return !hasWildcard(apiVersion) && (apiVersion === "" || apiVersion.includes("/"));
}

async function findKinds(
  cluster: Cluster,
  { apiVersion, kind }: KindReference,
  call: Partial<ApiCall>,
): Promise<Json | Fault> {
  const slash = apiVersion.indexOf("/");
  const isGroup = compileWildcard(slash < 0 ? "*" : apiVersion.slice(0, slash));
  const isVersion = compileWildcard(apiVersion.slice(slash + 1));
  const answer = await cluster.call({ method: "GET", path: "/apis", ...call });
  if (!answer.ok) return new Fault(`the cluster does not say what it serves: ${answer.message}`);
  const groups = [{ group: "", versions: ["v1"] }, ...asList(field(answer.body, "groups")).map(groupOf)];
  const found = await Promise.all(
    groups.filter(({ group }) => isGroup(group)).map(({ group, versions }) =>
      servedVersion({ group, kind, versions: versions.filter(isVersion) }, cluster)
    ),
  );
  const kinds = found.filter((each) => each !== undefined).map((apiVersion) => ({ apiVersion }));
  return kinds.length > 0 ? kinds : new Fault(`the cluster does not serve ${apiVersion}/${kind}`);
}

/** A group of the API with its versions, the preferred one first. */
interface Group {
  readonly group: string;
  readonly versions: readonly string[];
}

function groupOf(written: Json): Group {
  const preferred = asString(dig(written, "preferredVersion", "version")) ?? "";
  const versions = asList(field(written, "versions")).map((each) => asString(field(each, "version")) ?? "");
  return {
    group: asString(field(written, "name")) ?? "",
    versions: [preferred, ...versions.filter((version) => version !== preferred)],
  };
}

/** The first of a group's versions that serves a kind. */
async function servedVersion(
  { group, kind, versions }: Group & { readonly kind: string },
  cluster: Cluster,
): Promise<string | undefined> {
  for (const version of versions) {
    const apiVersion = formatApiVersion({ group, version });
    if (await cluster.resource(apiVersion, kind) !== undefined) return apiVersion;
  }
  return undefined;
}
