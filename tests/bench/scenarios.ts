/** The scenarios measured over TLS: a review, the policies that decide it, and the server to compare its rate with. */
import type { Bench } from "./bench.ts";
import { type Command, floorCommand, serveCommand } from "../support/image.ts";

/** A server with its policies, and the review that it is loaded with. */
export interface Scenario {
  /** One word, by which results are kept. */
  readonly name: string;
  /** The title in the table. */
  readonly title: string;
  readonly path: string;
  readonly bodyFile: string;
  readonly command: Command;
  /** The least share of the rate of the floor in Hono, at 1 and 16 connections and at 64. */
  readonly goal?: number;
}

/** Every scenario: first the two floors, then Postern. */
export function scenarios({ inputs, image }: Bench): readonly Scenario[] {
  const pod = inputs.review;
  const floor = (name: "echo" | "hono", title: string): Scenario => ({
    name,
    title,
    path: "/echo",
    bodyFile: pod,
    command: floorCommand(image, name),
  });
  const scenario = (name: string, title: string, options: ScenarioOptions): Scenario => {
    const { bodyFile = pod, policies, path = "/validate/fail", goal, more } = options;
    const command = serveCommand(image, policies, more);
    return { name, title, path, bodyFile, command, ...(goal !== undefined && { goal }) };
  };
  const { security } = inputs;
  return [
    floor("echo", "floor: bare echo"),
    floor("hono", "floor: Hono, JSON parsed and written"),
    scenario("allowed", "17 pod security policies, allowed", { policies: [security], goal: 0.7 }),
    scenario("denied", "17 pod security policies, denied", {
      bodyFile: inputs.deniedReview,
      policies: [security],
      goal: 0.7,
    }),
    scenario("audited", "17 pod security policies in Audit, violated", {
      bodyFile: inputs.deniedReview,
      policies: [inputs.audited],
    }),
    scenario("mutated", "10 mutations", { policies: [inputs.mutate], path: "/mutate/fail", goal: 0.7 }),
    scenario("cel", "10 CEL rules", { policies: [inputs.cel], goal: 0.6 }),
    scenario("thousand", "17 and 983 policies that do not match", { policies: [security, inputs.others] }),
    scenario("unmatched", "no policy matches", { bodyFile: inputs.unmatchedReview, policies: [security] }),
    scenario("lookup", "a ConfigMap looked up in memory", {
      policies: [inputs.lookup],
      more: ["--cluster", inputs.lookupObjects],
    }),
  ];
}

interface ScenarioOptions {
  readonly policies: readonly string[];
  readonly bodyFile?: string;
  readonly path?: string;
  readonly goal?: number;
  readonly more?: readonly string[];
}
