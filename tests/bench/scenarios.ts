/** What is measured over TLS: a review, the policies that decide it, and what its rate is compared with. */
import type { Inputs } from "./inputs.ts";

/** A server with its policies, and the review that it is loaded with. */
export interface Scenario {
  /** One word, by which results are kept. */
  readonly name: string;
  /** What a reader sees. */
  readonly title: string;
  readonly path: string;
  readonly bodyFile: string;
  /** Arguments of `deno`, with PORT for the port. */
  readonly args: readonly string[];
  /** The least share of the floor's rate, at 1 and 16 connections and at 64. */
  readonly goal?: number;
}

/**
 * A young heap that the processor's caches hold: `deno task postern` and the image run with it, too. Loading a thousand
 * policies would let it grow beyond them, and every request pay for that.
 */
const heap = "--v8-flags=--max-semi-space-size=8";

/** Every scenario: first the two floors, then Postern. */
export function scenarios(inputs: Inputs): readonly Scenario[] {
  const pod = inputs.review;
  return [
    { name: "echo", title: "floor: bare echo", path: "/echo", bodyFile: pod, args: floorArguments("echo") },
    {
      name: "hono",
      title: "floor: Hono, JSON parsed and written",
      path: "/echo",
      bodyFile: pod,
      args: floorArguments("hono"),
    },
    scenario("allowed", "17 pod security policies, allowed", pod, { policies: [inputs.security], goal: 0.7 }),
    scenario("denied", "17 pod security policies, denied", inputs.deniedReview, {
      policies: [inputs.security],
      goal: 0.7,
    }),
    scenario("mutated", "10 mutations", pod, { policies: [inputs.mutate], path: "/mutate/fail", goal: 0.7 }),
    scenario("cel", "10 CEL rules", pod, { policies: [inputs.cel], goal: 0.6 }),
    scenario("thousand", "with 983 policies that do not match", pod, {
      policies: [inputs.security, inputs.others],
    }),
    scenario("unmatched", "no policy matches", inputs.unmatchedReview, { policies: [inputs.security] }),
    scenario("lookup", "a ConfigMap looked up in memory", pod, {
      policies: [inputs.lookup],
      more: ["--cluster", inputs.lookupObjects],
    }),
  ];
}

interface ScenarioOptions {
  readonly policies: readonly string[];
  readonly path?: string;
  readonly goal?: number;
  readonly more?: readonly string[];
}

function scenario(name: string, title: string, bodyFile: string, options: ScenarioOptions): Scenario {
  const { policies, path = "/validate/fail", goal, more = [] } = options;
  return {
    name,
    title,
    path,
    bodyFile,
    args: serveArguments(policies, more),
    ...(goal !== undefined && { goal }),
  };
}

/** Starts `postern serve` with TLS and a certificate that it makes itself. */
export function serveArguments(policies: readonly string[], more: readonly string[] = []): string[] {
  const permissions = ["--allow-read", "--allow-write", "--allow-env", "--allow-net=127.0.0.1"];
  const options = ["--port", "PORT", "--metrics-port", "0", ...more, "--policies", policies.join(",")];
  return ["run", heap, "--no-prompt", ...permissions, "main.ts", "serve", ...options];
}

/** Starts a floor, with a certificate that it makes itself or that a folder keeps. */
export function floorArguments(kind: "echo" | "hono" | "webhook", certificates?: string): string[] {
  const permissions = ["--allow-read", "--allow-write", "--allow-env", "--allow-net=127.0.0.1"];
  const folder = certificates === undefined ? [] : [certificates];
  return ["run", heap, "--no-prompt", ...permissions, "tests/bench/floor.ts", kind, "PORT", ...folder];
}
