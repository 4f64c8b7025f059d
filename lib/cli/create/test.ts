import { Fault, isFault, type JsonObject } from "../../json/mod.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { createTestOfReviews } from "./test_of_reviews.ts";
import { type OutputArguments, writeObject } from "./write_object.ts";

/** The options of `create test`. */
export interface CreateTestArguments extends OutputArguments {
  readonly name: string;
  readonly policy: readonly string[];
  readonly resource: readonly string[];
  readonly values?: string;
  readonly pass: readonly string[];
  readonly fail: readonly string[];
  readonly skip: readonly string[];
  readonly review: readonly string[];
}

/** `create test`: writes a test of expected results, or of recorded reviews. */
export async function createTest(args: CreateTestArguments, terminal: Terminal): Promise<number> {
  if (args.review.length > 0) return await createTestOfReviews(args, terminal);
  const results: JsonObject[] = [];
  for (const result of ["pass", "fail", "skip"] as const) {
    for (const text of args[result]) {
      const expected = expectation(text, result);
      if (isFault(expected)) return unusable(`--${result} ${text}: ${expected.message}`, terminal);
      results.push(expected);
    }
  }
  return await writeObject(
    {
      apiVersion: "cli.kyverno.io/v1alpha1",
      kind: "Test",
      metadata: { name: args.name },
      policies: args.policy,
      resources: args.resource,
      ...(args.values !== undefined && { variables: args.values }),
      results,
    },
    args,
    terminal,
  );
}

/** `policy,rule,resource`, then perhaps namespace, kind and the file of the patched object. */
function expectation(text: string, result: string): JsonObject | Fault {
  const parts = text.split(",");
  if (parts.length < 3 || parts.length > 6) {
    return new Fault("write it as policy,rule,resource[,[namespace,]kind]");
  }
  const [policy = "", rule = "", resource = "", ...rest] = parts;
  const [namespace, kind, patched] = rest.length === 1 ? [undefined, rest[0], undefined] : rest;
  return {
    policy,
    ...(rule !== "" && { rule }),
    resources: [namespace ? `${namespace}/${resource}` : resource],
    ...(kind && { kind }),
    ...(patched && { patchedResources: patched }),
    result,
  };
}
