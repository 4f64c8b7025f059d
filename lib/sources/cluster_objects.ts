import type { Snapshot } from "../engine/mod.ts";
import { Fault, isObject, type JsonObject } from "../json/mod.ts";
import {
  collectionPath,
  formatApiVersion,
  type ListedResource,
  listPages,
  readGroupList,
  readResourceList,
  versionPath,
} from "../kube/mod.ts";
import type { ApiResource, Cluster } from "../ports.ts";

/** The objects to read from a cluster, and the sizes of the reads. */
export interface ClusterObjectsOptions {
  readonly cluster: Cluster;
  /** The policies: only objects of kinds that they may match are read. */
  readonly snapshots: readonly Snapshot[];
  /** Reads objects of this namespace alone, and with {@link clusterWide} cluster-scoped ones, too. */
  readonly namespace?: string | undefined;
  /** Whether to read cluster-scoped objects, and of the others only those of {@link namespace}. */
  readonly clusterWide: boolean;
  /** The most objects of one page. */
  readonly batchSize: number;
  /** The most lists that are read at a time. */
  readonly concurrent: number;
}

/** An object, or why objects of a kind cannot be read. */
export type ClusterObject =
  | { readonly kind: "object"; readonly object: JsonObject }
  | { readonly kind: "problem"; readonly problem: Fault };

/**
 * The objects of a cluster that the policies may match, listed in pages. A group that does not say what it serves, or a
 * kind that cannot be listed, is a problem, and the others are still read.
 */
export async function* clusterObjects(options: ClusterObjectsOptions): AsyncGenerator<ClusterObject> {
  const { snapshots, concurrent } = options;
  const { kinds, problems } = await servedKinds(options.cluster);
  for (const problem of problems) yield { kind: "problem", problem };
  const tests = snapshots.map(wantedKinds);
  const wanted = kinds.filter(({ kind }) => tests.some((isWanted) => isWanted(kind)));
  for (let at = 0; at < wanted.length; at += Math.max(1, concurrent)) {
    const lists = wanted.slice(at, at + Math.max(1, concurrent)).map((each) => pages(each, options));
    // The first pages of these kinds are read concurrently; objects stay in order.
    const first = lists.map((list) => list.next());
    for (const [index, list] of lists.entries()) {
      for (let page = await first[index]!; page.done !== true; page = await list.next()) yield* page.value;
    }
  }
}

/** Returns whether a policy of the whole cluster or of a namespace may match a kind. */
function wantedKinds(snapshot: Snapshot): (kind: string) => boolean {
  const namespaces = [...new Set(["", ...snapshot.policies.flatMap(({ policy }) => policy.namespace ?? [])])];
  return (kind) =>
    (["mutate", "validate", "generate", "mutateExisting"] as const).some((phase) =>
      namespaces.some((namespace) =>
        snapshot.candidates(phase, { kind, operation: "CREATE", namespace }).length > 0
      )
    );
}

async function* pages(
  resource: ApiResource,
  { cluster, namespace, clusterWide, batchSize }: ClusterObjectsOptions,
): AsyncGenerator<ClusterObject[]> {
  // Kyverno parity: with `--cluster-wide-resources` objects of namespaces are left out where none is named. Pinned by
  // tests/sources/cluster_objects_test.ts.
  const isLeftOut = resource.namespaced
    ? clusterWide && namespace === undefined
    : !clusterWide && namespace !== undefined;
  if (isLeftOut) return;
  const { kind } = resource, apiVersion = formatApiVersion(resource);
  const get = (path: string) => cluster.call({ method: "GET", path });
  for await (
    const page of listPages(collectionPath(resource, namespace ?? ""), { get, pageSize: batchSize })
  ) {
    if (page.ok) {
      // Items of a list have no kind and apiVersion.
      yield page.items.filter(isObject).map((item) => ({
        kind: "object",
        object: { apiVersion, kind, ...item },
      }));
    } else {
      const problem = new Fault(`${apiVersion} ${kind} cannot be listed: ${page.message}`);
      yield [{ kind: "problem", problem }];
    }
  }
}

/** The collections that the cluster serves and lists, each kind in the version that the cluster prefers. */
async function servedKinds(
  cluster: Cluster,
): Promise<{ readonly kinds: readonly ApiResource[]; readonly problems: readonly Fault[] }> {
  const groups = await cluster.call({ method: "GET", path: "/apis" });
  if (!groups.ok) {
    return { kinds: [], problems: [new Fault(`the cluster does not say what it serves: ${groups.message}`)] };
  }
  const served: ListedResource[] = [], problems: Fault[] = [];
  for (const { group, versions: [version = ""] } of readGroupList(groups.body)) {
    const type = { group, version };
    const answer = await cluster.call({ method: "GET", path: versionPath(type) });
    if (answer.ok) served.push(...readResourceList(answer.body, type));
    else problems.push(new Fault(`${formatApiVersion(type)}: ${answer.message}`));
  }
  // The core group's Events are also served by another group.
  const kinds = served.filter(({ kind, group, verbs }) =>
    verbs.includes("list") && !(kind === "Event" && group !== "")
  );
  return { kinds, problems };
}
