import type { PolicyRequest } from "../engine/mod.ts";
import { compileResourceFilters, compileWildcards, defaultResourceFilters, nameOf } from "../kube/mod.ts";

/** Selects the requests that no policy sees. */
export interface FilterConfig {
  /** `[kind,namespace,name]` items; Kyverno's defaults when absent. */
  readonly resourceFilters?: string;
  /** Wildcards; an entry `!x` includes x again. `system:nodes` by default. */
  readonly excludeGroups?: readonly string[];
  readonly excludeUsernames?: readonly string[];
  /** Of the user, as `namespace:name`, and cluster roles. */
  readonly excludeRoles?: readonly string[];
  readonly excludeClusterRoles?: readonly string[];
}

/** The entries about roles. */
function roleEntries({ excludeRoles = [], excludeClusterRoles = [] }: FilterConfig): readonly string[] {
  return [...excludeRoles, ...excludeClusterRoles];
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

/** The filters as they are configured now: compiled when they have changed since the last request. */
export class CurrentFilters {
  readonly #configured: (() => FilterConfig) | undefined;
  #config: FilterConfig;
  #excludes: (request: PolicyRequest) => boolean;

  /** `configured` is called for each request; Kyverno's defaults hold without it. */
  constructor(configured?: () => FilterConfig) {
    this.#configured = configured;
    this.#config = configured?.() ?? {};
    this.#excludes = compileFilters(this.#config);
  }

  /** Whether some are about roles of the user. The API server does not send them: they must be looked up. */
  get readRoles(): boolean {
    return roleEntries(this.#config).length > 0;
  }

  /** Whether a request is admitted without evaluating a policy. Exclusions by roles need a request with them. */
  exclude(request: PolicyRequest): boolean {
    const config = this.#configured?.() ?? this.#config;
    if (config !== this.#config) {
      this.#config = config;
      this.#excludes = compileFilters(config);
    }
    return this.#excludes(request);
  }
}

/**
 * Compiles the filters; the result is true for a request that is admitted without evaluating a policy. Filters are
 * about the resource: `[Pod/exec,*,*]` holds for an exec, whose object is a PodExecOptions.
 */
export function compileFilters(config: FilterConfig = {}): (request: PolicyRequest) => boolean {
  const filtered = compileResourceFilters(config.resourceFilters ?? defaultResourceFilters);
  const excluded = compileExclusions(config);
  return (request) => {
    if (groupsOfUnseen.get(request.kind) === request.group || excluded(request)) return true;
    const name = request.name || nameOf(request.object ?? request.oldObject);
    return filtered({ ...request, name });
  };
}

/**
 * Kyverno parity: an entry that begins with `!` is an inclusion. A user whom one inclusion matches, be it of a name, a
 * group or a role, is never excluded. Pinned by "an inclusion overrides an exclusion".
 */
function compileExclusions(config: FilterConfig): (request: PolicyRequest) => boolean {
  const { excludeGroups = ["system:nodes"], excludeUsernames = [] } = config;
  const ofGroups = exclusionsOf(excludeGroups), ofUsernames = exclusionsOf(excludeUsernames);
  const ofRoles = exclusionsOf(config.excludeRoles ?? []);
  const ofClusterRoles = exclusionsOf(config.excludeClusterRoles ?? []);
  const mayInclude = roleEntries(config).some(isInclusion);
  return ({ requester }) => {
    if (requester === undefined || mayInclude && requester.roles === undefined) return false;
    const { username, groups, roles = [], clusterRoles = [] } = requester;
    const isOf = (kind: keyof Exclusions): boolean =>
      ofUsernames[kind](username) || groups.some((group) => ofGroups[kind](group)) ||
      roles.some((role) => ofRoles[kind](role)) || clusterRoles.some((role) => ofClusterRoles[kind](role));
    return isOf("excluded") && !isOf("included");
  };
}

function isInclusion(entry: string): boolean {
  return entry.startsWith("!");
}

type Exclusions = Readonly<Record<"included" | "excluded", (text: string) => boolean>>;

function exclusionsOf(entries: readonly string[]): Exclusions {
  const included = entries.filter(isInclusion).map((entry) => entry.slice(1).trim());
  return {
    included: compileWildcards(included.filter((entry) => entry !== "")),
    excluded: compileWildcards(entries.filter((entry) => !isInclusion(entry))),
  };
}
