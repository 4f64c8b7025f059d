import { type Decision, evaluate, type Phase, type PolicyRequest, type Trace } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import { policyRequest } from "../server/mod.ts";
import type { ApplyOptions } from "../apply/mod.ts";

/** What the server answers to a request: mutations, and validations of what they leave; those only if it is let in. */
export interface ReviewDecisions {
  readonly mutation: Decision;
  readonly validation: Decision;
}

/** Decides a recorded request as the server does. Validations see the object as mutations leave it. */
export async function decideReview(
  request: AdmissionRequest,
  { snapshot, ports, absent }: ApplyOptions,
  trace?: () => Trace,
): Promise<ReviewDecisions> {
  const asked = policyRequest(request);
  const mutation = await decide("mutate", asked);
  const seen = mutation.patch.length === 0 ? asked : withObject(asked, mutation.object);
  return { mutation, validation: await decide("validate", seen) };

  async function decide(phase: Phase, about: PolicyRequest): Promise<Decision> {
    const rules = trace === undefined ? "admission" : "all";
    return await evaluate(snapshot, about, {
      phase,
      ports,
      absent,
      rules,
      ...(trace !== undefined && { trace: trace() }),
    });
  }
}

function withObject(request: PolicyRequest, object: JsonObject | undefined): PolicyRequest {
  return { ...request, object, variable: { ...request.variable, object: object ?? null } };
}

/** `Pod shop/web (CREATE by ann)`. */
export function reviewText(
  { kind, subResource, namespace, name, operation, userInfo }: AdmissionRequest,
): string {
  const full = subResource === "" ? kind.kind : `${kind.kind}/${subResource}`;
  return `${full} ${namespace === "" ? "" : `${namespace}/`}${name} (${operation} by ${userInfo.username})`;
}
