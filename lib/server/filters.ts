import {
  type AdmissionRequest,
  compileResourceFilters,
  compileWildcard,
  defaultResourceFilters,
  nameOf,
} from "../kube/mod.ts";

/** Selects the requests that no policy sees. */
export interface FilterConfig {
  /** `[kind,namespace,name]` items; Kyverno's defaults when absent. */
  readonly resourceFilters?: string;
  /** Wildcards; an entry `!x` includes x again. `system:nodes` by default. */
  readonly excludeGroups?: readonly string[];
  readonly excludeUsernames?: readonly string[];
}

/**
 * The kinds that no policy sees, whatever the filters say, with their groups: Postern writes them itself, and a policy
 * about every kind would refuse its work. Kyverno parity: these kinds, but policies are seen, also by themselves.
 * Pinned by "reports and update requests are seen by no policy, whatever the filters are".
 */
const groupsOfUnseen: ReadonlyMap<string, string> = new Map([
  ["PolicyReport", "wgpolicyk8s.io"],
  ["ClusterPolicyReport", "wgpolicyk8s.io"],
  ["EphemeralReport", "reports.kyverno.io"],
  ["ClusterEphemeralReport", "reports.kyverno.io"],
  ["UpdateRequest", "kyverno.io"],
]);

/** Compiles the filters; the result is true for a request that is admitted without evaluating a policy. */
export function compileFilters(config: FilterConfig = {}): (request: AdmissionRequest) => boolean {
  const filtered = compileResourceFilters(config.resourceFilters ?? defaultResourceFilters);
  const group = compileExclusions(config.excludeGroups ?? ["system:nodes"]);
  const username = compileExclusions(config.excludeUsernames ?? []);
  return (request) => {
    const { userInfo, kind, subResource, namespace } = request;
    if (groupsOfUnseen.get(kind.kind) === kind.group) return true;
    if (username(userInfo.username) || userInfo.groups.some(group)) return true;
    const name = request.name || nameOf(request.object ?? request.oldObject ?? undefined);
    return filtered({ ...kind, subresource: subResource, namespace, name });
  };
}

/**
 * Kyverno parity: an entry that begins with `!` is an inclusion, which overrides every exclusion. Pinned by
 * "an inclusion overrides an exclusion".
 */
function compileExclusions(entries: readonly string[]): (text: string) => boolean {
  const excluded = entries.filter((entry) => !entry.startsWith("!")).map(compileWildcard);
  const included = entries.filter((entry) => entry.startsWith("!")).map((entry) =>
    compileWildcard(entry.slice(1))
  );
  return (text) => excluded.some((matches) => matches(text)) && !included.some((matches) => matches(text));
}
