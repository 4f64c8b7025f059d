/**
 * Measures evaluation alone, beside the parsing of its review, in a process that does nothing else. Prints
 * microseconds as JSON.
 *
 * deno run --allow-read tests/bench/engine_times.ts POLICIES REVIEW PHASE
 */
import { compile, evaluate } from "../../lib/engine/mod.ts";
import { asObject, asString, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

/** Microseconds for one time. */
export interface EngineTimes {
  readonly parse: number;
  readonly evaluate: number;
}

const [policies = "", reviewFile = "", phase = "validate"] = Deno.args;
const text = await Deno.readTextFile(reviewFile);
const review: Json = JSON.parse(text);
const request = asObject(dig(review, "request")) ?? {};
const snapshot = compile(parseDocuments(await Deno.readTextFile(policies), policies).documents);
const ports = clusterPorts([]);
const subject = {
  uid: "bench",
  operation: "CREATE" as const,
  group: "",
  version: "v1",
  kind: "Pod",
  subresource: "",
  namespace: asString(request["namespace"]) ?? "",
  name: asString(request["name"]) ?? "",
  object: request["object"] as JsonObject,
  oldObject: undefined,
  requester: { username: "bench", groups: [] },
  dryRun: false,
  variable: request,
};

function perRun(run: () => unknown, seconds: number): number {
  const start = performance.now(), end = start + seconds * 1000;
  let runs = 0;
  while (performance.now() < end) {
    for (let index = 0; index < 200; index++) run();
    runs += 200;
  }
  return (performance.now() - start) * 1000 / runs;
}

const evaluateOnce = () =>
  evaluate(snapshot, subject, { phase: phase === "mutate" ? "mutate" : "validate", rules: "all", ports });
if (evaluateOnce() instanceof Promise) {
  throw new Error("the policies of this measure must need nothing from outside");
}
perRun(evaluateOnce, 1);
const rounds = Array.from({ length: 7 }, () => ({
  parse: perRun(() => JSON.parse(text), 0.15),
  evaluate: perRun(evaluateOnce, 0.15),
}));
const median = (values: readonly number[]) =>
  values.toSorted((left, right) => left - right)[values.length >> 1]!;
const times: EngineTimes = {
  parse: median(rounds.map(({ parse }) => parse)),
  evaluate: median(rounds.map(({ evaluate }) => evaluate)),
};
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(times)));
