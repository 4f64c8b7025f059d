import { decideReview, policyRequest, Trace } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import { parseReview } from "../kube/mod.ts";
import type { Explanation } from "../report/mod.ts";
import { compileFilters } from "../server/mod.ts";
import type { ApplyOptions } from "../apply/mod.ts";
import { reviewText } from "./review_text.ts";

/** Decides a recorded AdmissionReview as the server does, and traces each rule. */
export async function explainReview(
  document: Json,
  options: ApplyOptions,
): Promise<Explanation | { readonly problem: string }> {
  const parsed = parseReview(document);
  if (!parsed.ok) return { problem: parsed.message };
  const { request } = parsed.review;
  const title = reviewText(request);
  if (compileFilters()(policyRequest(request))) {
    return { title, rules: [], unseen: "the server's resource filters admit such requests unevaluated" };
  }
  const traces: Trace[] = [];
  const { snapshot, ports, absent } = options;
  const trace = (): Trace => {
    const made = new Trace(ports.clock);
    traces.push(made);
    return made;
  };
  await decideReview(snapshot, request, { ports, absent, trace });
  return { title, rules: traces.flatMap(({ rules }) => rules) };
}
