import { join, relative, resolve } from "node:path";
import { asObject, field, type Json, type JsonObject } from "../../json/mod.ts";
import { type AdmissionRequest, parseReview } from "../../kube/mod.ts";
import { loadDocuments } from "../../sources/mod.ts";
import { findTests, runTest } from "../../testing/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { Diagnostics } from "../diagnostics.ts";
import { type Terminal, unusable } from "../terminal.ts";

/** The arguments of `create test --review`. */
export interface ReviewTestArguments {
  readonly name: string;
  readonly policy: readonly string[];
  readonly review: readonly string[];
  /** The folder to write the test to. */
  readonly output?: string;
}

/**
 * `create test --review PATH… --policy PATH… --output FOLDER`: writes a test folder for each recorded request. The test
 * expects the current results of the policies, so users must review it before they rely on it.
 */
export async function createTestOfReviews(args: ReviewTestArguments, terminal: Terminal): Promise<number> {
  const { output: root, policy } = args;
  if (root === undefined || policy.length === 0) {
    return unusable("a test of reviews needs --policy and the folder to write it to, --output", terminal);
  }
  const diagnostics = new Diagnostics(terminal);
  const { documents, diagnostics: unread } = await loadDocuments(args.review);
  diagnostics.add(...unread);
  for (const [index, { value, positionOf }] of documents.entries()) {
    const parsed = parseReview(value);
    if (!parsed.ok) {
      diagnostics.add({
        severity: "error",
        code: "no-review",
        message: parsed.message,
        position: positionOf([]),
      });
      continue;
    }
    const { request } = parsed.review;
    const name = `${args.name}-${index + 1}`;
    const folder = join(root, name);
    const results = await writeTest(request, { folder, name, policy });
    terminal.out(`${join(folder, "kyverno-test.yaml")}: ${results} results`);
  }
  if (documents.length === 0) return unusable("there are no reviews", terminal);
  return diagnostics.errors > 0 ? 1 : 0;
}

async function writeTest(
  request: AdmissionRequest,
  { folder, name, policy }: { folder: string; name: string; policy: readonly string[] },
): Promise<number> {
  await Deno.mkdir(folder, { recursive: true });
  const write = async (file: string, object: Json): Promise<void> =>
    await Deno.writeTextFile(join(folder, file), toYaml(object));
  const test = {
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "Test",
    metadata: { name },
    policies: policy.map((path) => relative(resolve(folder), resolve(path))),
    resources: ["resource.yaml"],
    userinfo: "user.yaml",
    variables: "values.yaml",
  };
  await write("resource.yaml", objectOf(request));
  await write("user.yaml", userOf(request));
  await write("values.yaml", {
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "Values",
    globalValues: { "request.operation": request.operation },
  });
  await write("kyverno-test.yaml", { ...test, results: [] });
  const results = await resultsOf(folder);
  await write("kyverno-test.yaml", { ...test, results });
  return results.length;
}

/** The object of the request, or the old object for DELETE, with the name and namespace of the request. */
function objectOf({ object, oldObject, name, namespace }: AdmissionRequest): JsonObject {
  const given = object ?? oldObject ?? {};
  const metadata = asObject(field(given, "metadata")) ?? {};
  return {
    ...given,
    metadata: { ...metadata, name: metadata["name"] ?? name, ...(namespace !== "" && { namespace }) },
  };
}

function userOf({ userInfo }: AdmissionRequest): JsonObject {
  const { username, groups } = userInfo;
  return {
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "UserInfo",
    userInfo: { username, groups: [...groups ?? []] },
  };
}

async function resultsOf(folder: string): Promise<JsonObject[]> {
  const { tests } = await findTests([folder], "kyverno-test.yaml");
  const run = await runTest(tests[0]!, { dialect: "classic" });
  return (run.answers.get("") ?? []).flatMap(({ identity, steps }) =>
    steps.flatMap(({ policy, rules }) =>
      rules.filter(({ type }) => type === "validate").map(({ rule, result }): JsonObject => ({
        policy: policy.key,
        ...(rule !== "" && { rule }),
        kind: identity.kind,
        resources: [identity.name],
        result,
      }))
    )
  );
}
