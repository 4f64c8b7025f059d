import { type Decision, evaluate, type Phase, type PolicyRequest, Trace } from "../engine/mod.ts";
import type { Json, JsonObject } from "../json/mod.ts";
import { type AdmissionRequest, parseReview } from "../kube/mod.ts";
import type { Explanation } from "../report/mod.ts";
import { compileFilters, policyRequest } from "../server/mod.ts";
import type { ApplyOptions } from "../apply/mod.ts";

/**
 * Decides a recorded AdmissionReview as the server does, and keeps how each rule came to what it says. Validations see
 * the object as mutations leave it.
 */
export async function explainReview(
  document: Json,
  { snapshot, ports, absent }: ApplyOptions,
): Promise<Explanation | { readonly problem: string }> {
  const parsed = parseReview(document);
  if (!parsed.ok) return { problem: parsed.message };
  const { request } = parsed.review;
  const subject = describe(request);
  if (compileFilters()(request)) {
    return { subject, rules: [], unseen: "the server's filters let such requests pass unseen" };
  }
  const traces: Trace[] = [];
  const asked = policyRequest(request);
  const mutation = await decide("mutate", asked);
  await decide("validate", mutation.patch.length === 0 ? asked : withObject(asked, mutation.object));
  return { subject, rules: traces.flatMap(({ rules }) => rules) };

  async function decide(phase: Phase, about: PolicyRequest): Promise<Decision> {
    const trace = new Trace(ports.clock);
    traces.push(trace);
    return await evaluate(snapshot, about, { phase, ports, absent, trace, rules: "all" });
  }
}

function withObject(request: PolicyRequest, object: JsonObject | undefined): PolicyRequest {
  return { ...request, object, variable: { ...request.variable, object: object ?? null } };
}

function describe({ kind, subResource, namespace, name, operation, userInfo }: AdmissionRequest): string {
  const full = subResource === "" ? kind.kind : `${kind.kind}/${subResource}`;
  return `${full} ${namespace === "" ? "" : `${namespace}/`}${name} (${operation} by ${userInfo.username})`;
}
