import { join, normalize } from "node:path";
import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asTexts,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { nameOf, namespaceOf, typeOf } from "../kube/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import {
  checkContext,
  checkUser,
  checkValues,
  duplicateKeys,
  type GivenDocument,
  type GivenUser,
  isException,
  manifestObjects,
  notAnException,
  noValues,
  readUser,
  readValues,
  unusedException,
  type Values,
} from "../apply/mod.ts";
import { loadDocuments, streamDocuments } from "../sources/mod.ts";
import type { FoundTest } from "./test_files.ts";
import { recordedLookup } from "./recorded_lookup.ts";
import type { TestSetup } from "./test_ports.ts";

/** A document of `jsonPayloads`. */
export interface TestPayload {
  /** The path, without a leading `./`. */
  readonly name: string;
  readonly value: JsonObject;
}

/** The contents of a test's files. */
export interface TestInput {
  readonly policies: readonly YamlDocument[];
  readonly exceptions: readonly YamlDocument[];
  /** The resources without duplicates. */
  readonly resources: readonly JsonObject[];
  /** Objects that rules may change besides the trigger. */
  readonly targets: readonly JsonObject[];
  /** Documents that are no Kubernetes objects, with their names in results. */
  readonly payloads: readonly TestPayload[];
  readonly setup: TestSetup;
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** The files and folders that the test names, readable or not. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the files that a test names. A file that cannot be read is a diagnostic; the others are still read. */
export async function loadTestInput({ test, folder, positionOf }: FoundTest): Promise<TestInput> {
  const files = new TestFiles(folder);
  const { diagnostics } = files;
  const policies = await files.policies(test.policies);
  const exceptions = await files.exceptions(test.exceptions);
  const resources = unique(await files.objects(test.resources), diagnostics);
  const targets = await files.objects(test.targetResources);
  const params = await files.objects(test.paramResources);
  const sources = await files.objects(
    test.results.flatMap(({ cloneSourceResource }) => cloneSourceResource ?? []),
  );
  const cluster = await files.clusterObjects(test.clusterResources);
  const context = asObject(field((await files.given(test.context, checkContext)) ?? null, "spec")) ?? {};
  const payloads = await readPayloads(test, files);
  // Kyverno parity: values in the test replace its file. Pinned by "values in the test replace those of its file".
  const given = test.values === undefined
    ? await files.given(test.variables, checkValues)
    : files.checked(checkValues(test.values, (path) => positionOf(["values", ...path])));
  const user = await files.given(test.userinfo, checkUser);
  const recorded = await recordedLookup(folder);
  diagnostics.push(...recorded.diagnostics);
  return {
    policies,
    exceptions,
    resources,
    targets,
    payloads,
    setup: {
      objects: [
        ...namespacesOf(given ?? null),
        ...cluster,
        ...asList(context["resources"]).filter(isObject),
        ...targets,
        ...params,
        ...sources,
      ],
      resources,
      images: asList(context["images"]).filter(isObject),
      isCluster: test.clusterResources.length > 0,
      ...(recorded.lookup !== undefined && { lookup: recorded.lookup }),
      apiCallResponses: test.apiCallResponses,
      globalContextEntries: await Promise.all(
        test.globalContextEntries.map((entry) => files.withFiles(entry)),
      ),
    },
    values: given === undefined ? noValues : readValues(given),
    user: user === undefined ? undefined : readUser(user),
    files: [...files.paths],
    diagnostics,
  };
}

/** The payloads of a test of JSON policies. */
async function readPayloads(test: FoundTest["test"], files: TestFiles): Promise<readonly TestPayload[]> {
  const payloads: TestPayload[] = [];
  for (const file of test.jsonPayloads) {
    const value = await files.payload(file);
    if (value !== undefined) payloads.push({ name: normalize(file), value });
  }
  for (const file of [...test.httpPayloads, ...test.envoyPayloads]) {
    files.diagnostics.push(unsupportedPayload(files.pathOf(file)));
  }
  return payloads;
}

/** Reads files that a test names, relative to its folder. */
class TestFiles {
  readonly diagnostics: Diagnostic[] = [];
  /** The paths of files that were read or could not be read. */
  readonly paths = new Set<string>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  pathOf(file: string): string {
    return join(this.#folder, file);
  }

  async documents(files: readonly string[]): Promise<readonly YamlDocument[]> {
    const paths = files.map((file) => this.pathOf(file));
    for (const path of paths) this.paths.add(path);
    const loaded = await loadDocuments(paths);
    this.diagnostics.push(...loaded.diagnostics);
    return loaded.documents;
  }

  /**
   * The documents of policy files. Kyverno parity: exceptions among them do not count. Pinned by "an exception among
   * the policies of a test does not count".
   */
  async policies(files: readonly string[]): Promise<readonly YamlDocument[]> {
    const { true: within = [], false: policies = [] } = Object.groupBy(
      await this.documents(files),
      (document) => `${isException(document)}`,
    );
    const rule = "do not count in a test: name their file under exceptions";
    this.diagnostics.push(...within.map((document) => unusedException(document, rule)));
    return policies;
  }

  async exceptions(files: readonly string[]): Promise<readonly YamlDocument[]> {
    const documents = await this.documents(files);
    const others = documents.filter((document) => !isException(document));
    const hint = "name policies under policies, and objects under resources";
    this.diagnostics.push(...others.map((document) => notAnException(document, hint)));
    return documents.filter(isException);
  }

  async objects(files: readonly string[]): Promise<JsonObject[]> {
    return manifestObjects(await this.documents(files));
  }

  /** The first document of a file with values, a user or a context, checked; `undefined` when it has none. */
  async given(file: string | undefined, check: typeof checkValues): Promise<Json | undefined> {
    if (file === undefined) return undefined;
    const path = this.pathOf(file);
    this.paths.add(path);
    const loaded = await loadDocuments([path]);
    const [first] = loaded.documents;
    this.diagnostics.push(...loaded.diagnostics.filter(({ code }) => code !== "duplicate-key"));
    this.diagnostics.push(...duplicateKeys(loaded));
    return first && this.checked(check(first.value, (path) => first.positionOf(path)));
  }

  /** The value of a checked document, whose problems it keeps. */
  checked({ value, diagnostics }: GivenDocument): Json {
    this.diagnostics.push(...diagnostics);
    return value;
  }

  /**
   * The object of a payload, in which `on` and `yes` are texts; `undefined` after a problem. Kyverno parity: a payload
   * is one object. Pinned by "a payload of several documents is an error: one of them alone would be tested".
   */
  async payload(file: string): Promise<JsonObject | undefined> {
    const path = this.pathOf(file);
    this.paths.add(path);
    const documents: YamlDocument[] = [];
    const problems: Diagnostic[] = [];
    for await (const part of streamDocuments([path], { booleans: "1.2" })) {
      if (part.kind === "problem") problems.push(part.diagnostic);
      else if (part.kind === "document" && part.document.value !== null) documents.push(part.document);
    }
    this.diagnostics.push(...problems);
    if (problems.some(({ severity }) => severity === "error")) return undefined;
    const [first, second] = documents;
    const value = first?.value ?? null;
    const problem = second !== undefined
      ? wrongPayload("A payload is one document: name each file under jsonPayloads", second.positionOf([]))
      : isObject(value)
      ? undefined
      : wrongPayload("A payload must be an object", { file: path, line: 1, column: 1 });
    if (problem !== undefined) this.diagnostics.push(problem);
    return problem === undefined && isObject(value) ? value : undefined;
  }

  /** The objects that ClusterResource files contain or name. */
  async clusterObjects(files: readonly string[]): Promise<JsonObject[]> {
    const specs = (await this.documents(files)).map(({ value }) => asObject(dig(value, "spec")) ?? {});
    const definitions = await this.objects(specs.flatMap((spec) => asTexts(spec["crds"])));
    return [...definitions, ...specs.flatMap((spec) => asList(spec["resources"]).filter(isObject))];
  }

  async withFiles(entry: JsonObject): Promise<JsonObject> {
    const files = asTexts(entry["resourceFiles"]);
    return files.length === 0 ? entry : { ...entry, resources: await this.objects(files) };
  }
}

/**
 * Kyverno parity: of two objects with one kind and name the first counts. Pinned by "of two objects with one kind and
 * name the first counts".
 */
function unique(objects: readonly JsonObject[], diagnostics: Diagnostic[]): JsonObject[] {
  const seen = new Map<string, JsonObject>();
  for (const object of objects) {
    const { group, kind } = typeOf(object);
    const namespace = namespaceOf(object);
    const name = nameOf(object);
    const key = [group, kind, namespace, name].join("/");
    if (!seen.has(key)) seen.set(key, object);
    else {
      const message = `There are two objects ${
        [kind, namespace, name].filter(Boolean).join(" ")
      }; the first counts`;
      diagnostics.push({ severity: "warning", code: "duplicate-resource", message });
    }
  }
  return [...seen.values()];
}

/** HTTP requests are payloads for Kyverno's authorization server, which is another program. */
function unsupportedPayload(file: string): Diagnostic {
  const position = { file, line: 1, column: 1 };
  const message = "Payloads of HTTP and Envoy requests are not supported";
  return { severity: "error", code: "unsupported-payload", message, position };
}

function wrongPayload(message: string, position: Position): Diagnostic {
  return { severity: "error", code: "wrong-type", message, position };
}

/** The Namespaces in values: whole objects, or made from labels. */
function namespacesOf(values: Json): JsonObject[] {
  const labelled = asList(field(values, "namespaceSelector")).map((entry) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: textField(entry, "name"), labels: asObject(field(entry, "labels")) ?? {} },
  }));
  const whole = asList(field(values, "namespaces")).filter(isObject).map((object) => ({
    ...object,
    apiVersion: "v1",
    kind: "Namespace",
  }));
  return [...labelled, ...whole];
}
