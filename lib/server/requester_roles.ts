import { type PolicyRequest, rolesOf } from "../engine/mod.ts";
import { asList, field, type Json } from "../json/mod.ts";
import { pause } from "../pause.ts";
import type { Answer, Cluster } from "../ports.ts";

const paths = ["rolebindings", "clusterrolebindings"]
  .map((plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`);

/**
 * The request with the roles that the cluster's bindings give to its user, at once where the cluster has them in
 * memory. A text says why they are unknown: it is then also unknown whether a filter excludes the user.
 *
 * @param within The milliseconds that the cluster has for its answers.
 */
export function withRoles(
  request: PolicyRequest,
  cluster: Cluster,
  within: number,
): PolicyRequest | Promise<PolicyRequest | string> {
  const answers = paths.map((path) => cluster.inMemory?.(path)).filter((answer) => answer !== undefined);
  const found = answers.length === paths.length ? withBindings(request, answers) : undefined;
  return typeof found === "object" ? found : read(request, cluster, within);
}

async function read(
  request: PolicyRequest,
  cluster: Cluster,
  within: number,
): Promise<PolicyRequest | string> {
  const ended = new AbortController(), { signal } = ended;
  const late = pause(within, signal).then(() =>
    [{ ok: false, status: undefined, message: "the answer came too late" }] as const
  );
  const calls = Promise.all(paths.map((path) => cluster.call({ method: "GET", path, signal })));
  const answers = await Promise.race([calls, late]);
  ended.abort();
  return withBindings(request, answers);
}

function withBindings(request: PolicyRequest, answers: readonly Answer[]): PolicyRequest | string {
  const { requester, namespace } = request;
  if (requester === undefined) return request;
  const bindings: (readonly Json[])[] = [];
  for (const answer of answers) {
    if (!answer.ok) {
      return `the roles of the user, by which requests are excluded, are unknown: ${answer.message}`;
    }
    bindings.push(asList(field(answer.body, "items")));
  }
  const [roleBindings = [], clusterRoleBindings = []] = bindings;
  const { username, groups } = requester;
  const roles = rolesOf({ username, groups, namespace, roleBindings, clusterRoleBindings });
  return { ...request, requester: { ...requester, ...roles } };
}
