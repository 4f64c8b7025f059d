/** Reports for other programs: each against a golden file, and against its published schema where it has one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { asList, dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { reportFormats } from "../../lib/report/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { assertJunit, junitProblems } from "../report/junit_schema.ts";
import { golden } from "./golden.ts";
import { inFolder } from "./in_folder.ts";

const goldens = join(import.meta.dirname!, "golden", "reports");

const policies = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: pods
  annotations:
    policies.kyverno.io/title: "Pods & <teams>"
    policies.kyverno.io/category: Best Practices, Labels
    policies.kyverno.io/severity: high
    policies.kyverno.io/description: A Pod belongs to a team.
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      failureAction: Audit
      message: "The label team is required: 100 %, \\"always\\"."
      pattern: {metadata: {labels: {team: "?*"}}}
  - name: tag
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      failureAction: Enforce
      message: "Tags are fixed\\nand known."
      pattern: {spec: {containers: [{image: "!*:latest"}]}}
  - name: erring
    match: {any: [{resources: {kinds: [Pod], names: [erring]}}]}
    validate: {failureAction: Enforce, message: x, deny: {conditions: {any: [{key: "{{ parse_json('no') }}", operator: Equals, value: 1}]}}}
---
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: local, namespace: shop, annotations: {policies.kyverno.io/scored: "false"}}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Audit, message: No owner., pattern: {metadata: {labels: {owner: "?*"}}}}
`;

const objects = `apiVersion: v1
kind: Pod
metadata: {name: good, labels: {team: a}}
spec: {containers: [{name: a, image: "a:1"}]}
---
# Müller's Pod
apiVersion: v1
kind: Pod
metadata:
  name: bad
  namespace: shop
spec:
  containers:
  - name: a
    image: a:1
  - name: b
    image: b:latest
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: erring}
  spec: {containers: [{name: a, image: "a:latest"}]}
`;

const exception = `apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: good, namespace: default}
spec:
  match: {any: [{resources: {kinds: [Pod], names: [good]}}]}
  exceptions: [{policyName: pods, ruleNames: [team]}]
`;

const files = {
  "policies.yaml": policies,
  "objects with space.yaml": objects,
  "exception.yaml": exception,
  "broken.yaml": "kind: {\n",
};
const args = ["apply", "@policies.yaml", "-e", "@exception.yaml", "-r", "@", "--audit-warn=false"];

/** Every report of the same run, by its format; without what differs from run to run. */
async function reports(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  await inFolder(files, async (run, folder) => {
    const given = args.map((arg) => arg === "@" ? join(folder, "objects with space.yaml") : arg);
    const outputs = [...reportFormats.keys()].flatMap((format) => ["-o", `${format}=@report.${format}`]);
    const { code } = await run(...given, "-r", "@broken.yaml", ...outputs);
    assert.equal(code, 1);
    for (const format of reportFormats.keys()) {
      const text = await Deno.readTextFile(join(folder, `report.${format}`));
      texts.set(format, neutral(text.replaceAll(folder, "/folder").replaceAll(encodeURI(folder), "/folder")));
    }
  });
  return texts;
}

function neutral(text: string): string {
  return text.replaceAll(/"seconds":\d+|seconds: \d+/g, (found) => found.replace(/\d+/, "0"))
    .replaceAll(/timestamp="[^"]+"/g, 'timestamp="2026-01-02T03:04:05"');
}

const written = await reports();

for (const [format, text] of written) {
  Deno.test(`the report ${format} equals its golden file`, () =>
    golden(join(goldens, `${format}.golden`), text.trimEnd()));
}

Deno.test("SARIF agrees with its published schema", () => {
  const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(sarifSchema);
  const log = JSON.parse(written.get("sarif")!);
  validate(log);
  assert.deepEqual(validate.errors, null);
  const [{ results, tool, invocations }] = log.runs;
  const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
  for (const { ruleId } of results) assert.ok(ids.includes(ruleId), ruleId);
  assert.equal(invocations[0].executionSuccessful, false);
  // The schema can say no, too.
  assert.equal(validate({ ...log, version: "2.0" }), false);
});

Deno.test("JUnit agrees with its published schema, and its counts are right", async () => {
  const text = written.get("junit")!;
  await assertJunit(text);
  // The schema can say no, too.
  assert.match((await junitProblems(text.replaceAll("testcase", "case"))).join("\n"), /'case': This element/);
  const counted = (suite: string, element: RegExp): string => String([...suite.matchAll(element)].length);
  for (const [suite, attributes] of text.matchAll(/<testsuite ([^>]*)>[^]*?<\/testsuite>/g)) {
    const given = (name: string): string | undefined => new RegExp(`${name}="(\\d+)"`).exec(attributes!)?.[1];
    assert.equal(given("tests"), counted(suite, /<testcase /g));
    assert.equal(given("failures"), counted(suite, /<failure /g));
    assert.equal(given("errors"), counted(suite, /<error /g));
    assert.equal(given("skipped"), counted(suite, /<skipped>/g));
  }
});

Deno.test("JSON lines are JSON, each with policy, rule, result and resource", () => {
  for (const line of written.get("json")!.trimEnd().split("\n")) {
    const { policy, rule, result, resource } = JSON.parse(line);
    assert.ok(
      [policy, rule, result, resource.name].every((text) => typeof text === "string" && text !== ""),
      line,
    );
  }
});

Deno.test("annotations of GitHub are one line each, and no text ends a property early", () => {
  for (const line of written.get("github")!.trimEnd().split("\n")) {
    assert.match(line, /^::(?:error|warning|notice) (?:file=[^:,]+,line=\d+,col=\d+,)?title=[^:,]+::.+$/);
  }
});

Deno.test("reports for the cluster and for namespaces have the fields that policy-reporter reads", () => {
  const { documents } = parseDocuments(written.get("report")!, "report");
  assert.deepEqual(documents.map(({ value }) => (value as { kind: string }).kind), [
    "ClusterReport",
    "Report",
  ]);
  for (const { value } of documents) {
    const { results } = value as { results: Record<string, unknown>[] };
    for (const { source, policy, result, properties, resources } of results) {
      assert.equal(source, "kyverno");
      assert.equal(typeof policy, "string");
      assert.ok(["pass", "fail", "warn", "error", "skip"].includes(String(result)));
      assert.equal((resources as unknown[]).length, 1);
      for (const each of Object.values(properties as object)) assert.equal(typeof each, "string");
    }
  }
});

/**
 * The folder of the CustomResourceDefinitions of reports, which policy-reporter reads; beside the project, or nowhere.
 */
const definitions = join(
  Deno.env.get("CONFORMANCE_CORPUS") ?? join(import.meta.dirname!, "../../../shared/corpus"),
  "chainsaw/crds",
);
const hasDefinitions = await Deno.stat(definitions).then(() => true, () => false);

/** The schema of a definition's only version, where fields that it does not know are mistakes. */
async function schemaOf(plural: string): Promise<Json> {
  const text = await Deno.readTextFile(join(definitions, `openreports.io_${plural}.yaml`));
  const [{ value } = { value: null }] = parseDocuments(text, plural).documents;
  const closed = (schema: Json): Json => {
    if (!isObject(schema)) return schema;
    const fields = schema["properties"];
    const open = Object.fromEntries(
      Object.entries(schema).map((
        [key, inner],
      ) => [key, key === "properties" ? mapped(inner, closed) : closed(inner)]),
    );
    return isObject(fields) && Object.keys(fields).length > 0
      ? { ...open, additionalProperties: false }
      : open;
  };
  const [version = null] = asList(dig(value, "spec", "versions"));
  return closed(dig(version, "schema", "openAPIV3Schema") ?? null);
}

function mapped(value: Json, change: (inner: Json) => Json): Json {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
    : value;
}

Deno.test({
  name: "reports agree with the definitions of openreports.io",
  ignore: !hasDefinitions,
  async fn() {
    const ajv = new Ajv.default({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    const [cluster, namespaced] = parseDocuments(written.get("report")!, "report").documents;
    for (const [document, plural] of [[cluster, "clusterreports"], [namespaced, "reports"]] as const) {
      const { properties } = await schemaOf(plural) as { properties: JsonObject };
      const { metadata: _, ...fields } = properties;
      const validate = ajv.compile({
        type: "object",
        properties: { ...fields, metadata: { type: "object" } },
      });
      validate(document!.value);
      assert.deepEqual(validate.errors, null);
      assert.equal(validate({ ...document!.value as JsonObject, results: [{ result: "perhaps" }] }), false);
    }
  },
});

Deno.test("standard output contains the report alone", () =>
  inFolder(files, async (run) => {
    const { out } = await run(...args.slice(0, 4), "-r", "@policies.yaml", "-o", "sarif=-");
    assert.equal(JSON.parse(out).version, "2.1.0");
  }));
