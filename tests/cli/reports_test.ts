/** Reports for other programs: each against a golden file, SARIF against its published schema, JUnit against its rules. */
import assert from "node:assert/strict";
import { join } from "node:path";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { reportFormats } from "../../lib/report/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
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
  Deno.test(`the report ${format} is the golden one`, () =>
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

/** What JUnit's schema (that of Jenkins and Surefire) allows: attributes, those that must be there, and children. */
const junitElements: Readonly<Record<string, readonly [required: string[], children: string[]]>> = {
  testsuites: [[], ["testsuite"]],
  testsuite: [["name", "tests", "failures", "errors", "time", "timestamp", "hostname"], ["testcase"]],
  testcase: [["classname", "name", "time"], ["failure", "error", "skipped"]],
  failure: [["type"], []],
  error: [["type"], []],
  skipped: [[], []],
};

Deno.test("JUnit has the elements and attributes of its schema, and its counts are right", () => {
  const text = written.get("junit")!;
  const open: { name: string; tests: number; children: string[] }[] = [];
  for (
    const [, closes, name, rest, empty] of text.matchAll(/<(\/)?([a-z]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/)?>/g)
  ) {
    if (closes !== undefined) {
      const element = open.pop()!;
      assert.equal(element.name, name);
      if (name === "testsuite") assert.equal(element.children.length, element.tests);
      continue;
    }
    const [required] = junitElements[name!]!;
    const attributes = Object.fromEntries(
      [...rest!.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    for (const key of required) assert.ok(key in attributes, `${name} needs ${key}`);
    const parent = open.at(-1);
    if (parent !== undefined) {
      assert.ok(junitElements[parent.name]![1].includes(name!), `${name} in ${parent.name}`);
      parent.children.push(name!);
    }
    if (empty === undefined) open.push({ name: name!, tests: Number(attributes["tests"]), children: [] });
  }
  assert.deepEqual(open, []);
  assert.equal(text.replaceAll(/&(?:amp|lt|gt|quot|#10);/g, "").includes("&"), false);
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

Deno.test("annotations of GitHub are one line each, and nothing in them ends a property early", () => {
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

Deno.test("a report on standard output is alone there", () =>
  inFolder(files, async (run) => {
    const { out } = await run(...args.slice(0, 4), "-r", "@policies.yaml", "-o", "sarif=-");
    assert.equal(JSON.parse(out).version, "2.1.0");
  }));
