import type { Diagnostic } from "../diagnostics/mod.ts";
import { compile, decideReview, evaluate, policyRequest, type Snapshot } from "../engine/mod.ts";
import { openPorts } from "../open_ports/mod.ts";
import { dig, field, isFault, isObject } from "../json/mod.ts";
import { type AdmissionRequest, parseReview } from "../kube/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { denialMessage } from "../report/mod.ts";
import { compileFilters, recordedRoute, type Route } from "../server/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import { type ApplyOptions, noValues } from "../apply/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { reviewText } from "./review_text.ts";
import { Diagnostics, unevaluatedPolicies } from "./diagnostics.ts";
import { standardInputProblem } from "./standard_input.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The options of `replay`. */
export interface ReplayArguments {
  readonly reviews: readonly string[];
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  readonly clusterObjects: readonly string[];
  readonly kubeconfig?: string;
  readonly dialect: Dialect;
}

/**
 * `replay REVIEW…`: decides recorded requests again. Exit code 0 when it allows and denies the same requests as the
 * recorded answers (a review without an answer counts as the same), 1 when an answer differs or it cannot decide a
 * request, 2 when the command cannot run.
 */
export async function replay(args: ReplayArguments, terminal: Terminal): Promise<number> {
  const twice = standardInputProblem({
    reviews: args.reviews,
    policies: args.policies,
    exceptions: args.exceptions,
    "objects of the cluster": args.clusterObjects,
  });
  if (twice !== undefined) return unusable(twice, terminal);
  const diagnostics = new Diagnostics(terminal);
  const policies = await loadDocuments([...args.policies, ...args.exceptions]);
  const snapshot = compile(policies.documents, { dialect: args.dialect });
  diagnostics.add(...policies.diagnostics, ...snapshot.diagnostics, ...unevaluatedPolicies(snapshot));
  const opened = await openPorts({
    cluster: args.clusterObjects,
    kubeconfig: args.kubeconfig,
    serviceAccount: false,
  });
  if (isFault(opened)) return unusable(opened.message, terminal);
  const { documents, diagnostics: unread } = await loadDocuments(args.reviews);
  diagnostics.add(...opened.diagnostics, ...unread);
  const options = { snapshot, ports: opened.ports, values: noValues, user: undefined, absent: [] };
  const counts = { same: 0, differing: 0 };
  try {
    for (const document of documents) {
      const replayed = await replayOne(document, options);
      if (replayed.problem !== undefined) {
        diagnostics.add(replayed.problem);
        continue;
      }
      counts[replayed.isSame ? "same" : "differing"]++;
      for (const line of replayed.lines) terminal.out(line);
    }
  } finally {
    await opened.close();
  }
  if (documents.length === 0) {
    diagnostics.add({ severity: "error", code: "nothing-checked", message: "There was no review to replay" });
  }
  terminal.out(`\n${counts.same} as recorded, ${counts.differing} differing`);
  return counts.differing + diagnostics.errors > 0 ? 1 : 0;
}

type ReplayOptions = ApplyOptions & { readonly snapshot: Snapshot };

/** Whether a review has the recorded answer again, with the lines that say so; or why it is no review. */
type Replayed =
  | { readonly problem: Diagnostic }
  | { readonly problem?: undefined; readonly isSame: boolean; readonly lines: readonly string[] };

async function replayOne({ value, positionOf }: YamlDocument, options: ReplayOptions): Promise<Replayed> {
  const parsed = parseReview(value), position = positionOf([]);
  if (!parsed.ok) {
    return { problem: { severity: "error", code: "no-review", message: parsed.message, position } };
  }
  const { request } = parsed.review;
  const now = await answer(request, recordedRoute(value), options);
  const before = field(value, "response");
  const isSame = !isObject(before ?? null) || (dig(value, "response", "allowed") === true) === now.allowed;
  const was = isSame ? "" : `, recorded as ${now.allowed ? "denied" : "allowed"}`;
  const blind = !isSame && dig(value, "recorded", "redacted") === true
    ? " (the record does not hold the Secret's values)"
    : "";
  const is = now.allowed ? "allowed" : "denied";
  const lines = [`${position.file}:${position.line}: ${reviewText(request)}: ${is}${was}${blind}`];
  if (now.message !== "") lines.push(`  ${indented(now.message)}`);
  const recorded = dig(value, "response", "status", "message");
  if (!isSame && typeof recorded === "string") lines.push(`  recorded: ${indented(recorded)}`);
  return { isSame, lines };
}

function indented(message: string): string {
  return message.trim().replaceAll("\n", "\n  ");
}

/**
 * The current answer of the recorded webhook to the request. Without a recorded webhook, it is the combined answer of
 * the mutating and validating webhooks.
 */
async function answer(
  request: AdmissionRequest,
  route: Route | undefined,
  { snapshot, ports, absent }: ReplayOptions,
): Promise<{ allowed: boolean; message: string }> {
  if (compileFilters()(policyRequest(request))) return { allowed: true, message: "" };
  const decisions = route === undefined
    ? Object.values(await decideReview(snapshot, request, { ports, absent }))
    : [await evaluate(snapshot, policyRequest(request), { ...route, rules: "admission", ports, absent })];
  const resource = { kind: request.kind.kind, namespace: request.namespace, name: request.name };
  const denial = decisions.find(({ allowed }) => !allowed);
  return {
    allowed: denial === undefined,
    message: denial === undefined ? "" : denialMessage(denial, resource),
  };
}
