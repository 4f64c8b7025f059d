/** A simulation as the folder of a `kyverno-test.yaml`, which `postern test` and Kyverno's command line run. */
import {
  asObject,
  asString,
  dig,
  field,
  isFault,
  type Json,
  type JsonObject,
} from "../../../lib/json/mod.ts";
import type { InputOutcome, Simulation, SimulationTexts } from "../../../lib/simulation/mod.ts";
import { parseDocuments, parseYaml, toYaml } from "../../../lib/yaml/mod.ts";

/** Texts of files by their names. */
export type Files = Readonly<Record<string, string>>;

/** Most objects whose results a test lists. */
const mostInputs = 500;

/** The files of the test. It expects what policies say now; objects of reviews are written as objects. */
export async function testFolder({ inputs, outcome }: Simulation, texts: SimulationTexts): Promise<Files> {
  const outcomes: InputOutcome[] = [];
  for (const index of [...inputs.keys()].slice(0, mostInputs)) {
    const found = await outcome(index);
    if (found.inputKind !== "payload") outcomes.push(found);
  }
  const review = outcomes.some(({ inputKind }) => inputKind === "review") ? firstReview(texts) : undefined;
  const files: Record<string, string> = {
    "policies.yaml": texts.policies,
    "resources.yaml": outcomes.map(({ object }) => toYaml(object)).join("---\n"),
  };
  const test: Record<string, Json> = {
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "Test",
    metadata: { name: "playground" },
    policies: ["policies.yaml"],
    resources: ["resources.yaml"],
  };
  const user = review === undefined ? texts.user : toYaml(userOf(review));
  const values = review === undefined ? texts.values : toYaml(valuesOf(review, texts.values));
  const add = (key: string, file: string, text: string): void => {
    if (text.trim() === "") return;
    files[file] = text;
    test[key] = key === "userinfo" || key === "variables" ? file : [file];
  };
  add("exceptions", "exceptions.yaml", texts.exceptions);
  add("userinfo", "user.yaml", user);
  add("variables", "values.yaml", values);
  add("clusterResources", "cluster.yaml", clusterText(texts.cluster));
  const answers = asObject(parsed(texts.answers)) ?? {};
  for (const key of ["apiCallResponses", "globalContextEntries"]) {
    if (answers[key] !== undefined) test[key] = answers[key];
  }
  if (answers["images"] !== undefined) {
    const spec = { images: answers["images"] };
    add("context", "context.yaml", toYaml({ apiVersion: "cli.kyverno.io/v1alpha1", kind: "Context", spec }));
    test["context"] = "context.yaml";
  }
  test["results"] = outcomes.flatMap((each) => rowsOf(each));
  files["kyverno-test.yaml"] = toYaml(test);
  return files;
}

/** The results of validate rules for an object, as rows of the test. */
function rowsOf({ input, rules }: InputOutcome): JsonObject[] {
  const { kind, namespace, name } = input;
  return rules.filter(({ type, outcome }) => type === "validate" && outcome !== "not applied").map((
    rule,
  ) => ({
    policy: rule.policy,
    ...(rule.rule !== "" && { rule: rule.rule }),
    kind,
    resources: [namespace === "" ? name : `${namespace}/${name}`],
    result: rule.outcome,
  }));
}

function parsed(text: string): Json {
  const value = parseYaml(text);
  return isFault(value) ? null : value;
}

/** The objects of the cluster as a document that tests name. */
function clusterText(text: string): string {
  const resources = parseDocuments(text, "cluster").documents.map(({ value }) => value);
  if (resources.length === 0) return "";
  return toYaml({ apiVersion: "cli.kyverno.io/v1alpha1", kind: "ClusterResource", spec: { resources } });
}

function firstReview({ resources }: SimulationTexts): JsonObject | undefined {
  const documents = parseDocuments(resources, "resources").documents.map(({ value }) => value);
  return asObject(field(documents.find((value) => field(value, "kind") === "AdmissionReview"), "request"));
}

function userOf(request: JsonObject): JsonObject {
  const username = asString(dig(request, "userInfo", "username")) ?? "";
  const groups = dig(request, "userInfo", "groups") ?? [];
  return { apiVersion: "cli.kyverno.io/v1alpha1", kind: "UserInfo", userInfo: { username, groups } };
}

function valuesOf(request: JsonObject, values: string): JsonObject {
  const given = asObject(parsed(values)) ?? {};
  const globalValues = {
    ...asObject(given["globalValues"]),
    "request.operation": asString(request["operation"]) ?? "CREATE",
  };
  return { apiVersion: "cli.kyverno.io/v1alpha1", kind: "Values", ...given, globalValues };
}
