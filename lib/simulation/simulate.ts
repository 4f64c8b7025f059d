import { applyPolicies, identityOf, isSameObject } from "../apply/mod.ts";
import { hasRules } from "../policy/mod.ts";
import {
  decideReview,
  type Decision,
  evaluate,
  type PolicyRequest,
  policyRequest,
  scanPayload,
  type Snapshot,
  Trace,
} from "../engine/mod.ts";
import { asString, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { type AdmissionRequest, parseReview } from "../kube/mod.ts";
import { diff } from "../patch/mod.ts";
import type { Ports } from "../ports.ts";
import { scanObject } from "../report/mod.ts";
import { type AdmissionAnswer, answerAdmission } from "./admission_answer.ts";
import type { GivenContext } from "./given_context.ts";
import { Lookups } from "./lookups.ts";
import type { ObjectClusters } from "./object_clusters.ts";
import type { ChangedTarget, InputOutcome } from "./outcome.ts";
import { absentSources, simulationPorts } from "./ports.ts";
import { reviewOfObject } from "./request_of_object.ts";
import { reportOfScan, reportOfTrace, type RuleReport } from "./rule_report.ts";
import { type InputName, nameOfInput, type SimulatedInput } from "./input.ts";

/** The policies and the context in which objects, reviews and payloads are evaluated. */
export interface Setting {
  readonly snapshot: Snapshot;
  readonly context: GivenContext;
  /** All checked objects: rules in JMESPath find them in the cluster, as in tests of policies. */
  readonly objects: readonly JsonObject[];
  readonly clusters: SettingClusters;
}

/** The objects that rules can read: those of the context, with or without the checked ones. */
export interface SettingClusters {
  readonly context: ObjectClusters;
  readonly all: ObjectClusters;
}

/** Evaluates the policies for one input and explains each result. It never throws, for any policies and input. */
export async function simulate(
  input: SimulatedInput,
  index: number,
  setting: Setting,
): Promise<InputOutcome> {
  const name = nameOfInput(input, index);
  switch (input.kind) {
    case "review":
      return await simulateReview(input.value, name, setting);
    case "object":
      return await simulateObject(input.value, name, setting);
    case "payload":
      return await simulatePayload(input.value, name, setting);
  }
}

/** Decides an object as `apply` and `test` do. The response is the one that the webhooks give to its creation. */
async function simulateObject(
  object: JsonObject,
  input: InputName,
  setting: Setting,
): Promise<InputOutcome> {
  const { context } = setting;
  const given = context.values.forResource("", input.name).get("request.operation");
  const operation = given === "UPDATE" || given === "DELETE" ? given : "CREATE";
  const { applied, rules, lookups } = await applyTraced(object, setting);
  const review = parseReview(reviewOfObject(object, { operation, user: context.user?.requester }));
  const answer = review.ok ? await webhookAnswer(review.review.request, setting, new Lookups()) : undefined;
  const mutated = applied.mutated ?? object;
  return {
    input: { ...input, operation },
    inputKind: "object",
    allowed: !rules.some(({ refuses }) => refuses),
    rules: [...rules, ...scan(object, setting)],
    object,
    mutated,
    patch: diff(object, mutated),
    generated: applied.steps.flatMap(({ generated }) => generated),
    targets: targetsOf(applied.steps.flatMap(({ targets }) => targets), setting),
    lookups: lookups.list,
    ...answer,
  };
}

/** Applies the policies to an object, and returns the reports of their rules and the external calls. */
async function applyTraced(
  object: JsonObject,
  { snapshot, context, clusters }: Setting,
): Promise<{
  readonly applied: Awaited<ReturnType<typeof applyPolicies>>;
  readonly rules: readonly RuleReport[];
  readonly lookups: Lookups;
}> {
  const lookups = new Lookups();
  const isCluster = context.objects.length > 0;
  const ports = simulationPorts(context, { cluster: clusters.all.open(), language: "jmespath", lookups });
  const celPorts = simulationPorts(context, {
    cluster: (isCluster ? clusters.all : clusters.context).open(),
    language: "cel",
    lookups,
  });
  const traces: Trace[] = [];
  const applied = await applyPolicies(object, {
    snapshot,
    ports,
    celPorts,
    values: context.values,
    user: context.user,
    absent: absentSources(context),
    namespaces: isCluster ? "cluster" : "values",
    trace: () => newTrace(traces, ports),
  });
  return { applied, rules: traces.flatMap((trace) => trace.rules).map(reportOfTrace), lookups };
}

function newTrace(traces: Trace[], { clock }: Ports): Trace {
  const trace = new Trace(clock);
  traces.push(trace);
  return trace;
}

/** Decides a review as the webhooks do, and plans the effects on other objects as the server does after the answer. */
async function simulateReview(
  review: JsonObject,
  input: InputName,
  setting: Setting,
): Promise<InputOutcome> {
  const parsed = parseReview(review);
  if (!parsed.ok) {
    const kubectl = `Error from server: ${parsed.message}`;
    return { ...emptyOutcome(input, "review"), allowed: false, kubectl };
  }
  const { request } = parsed.review;
  const { snapshot, context } = setting;
  const lookups = new Lookups();
  const ports = admissionPorts(setting, { input, lookups });
  const absent = absentSources(context);
  const traces: Trace[] = [];
  const { mutation } = await decideReview(snapshot, request, {
    ports,
    absent,
    trace: () => newTrace(traces, ports),
  });
  const admitted = { ...policyRequest(request), object: mutation.object };
  const afterAnswer = async (phase: "generate" | "mutateExisting"): Promise<Decision> =>
    await evaluate(snapshot, admitted as PolicyRequest, {
      phase,
      ports,
      absent,
      background: {},
      rules: "all",
      trace: newTrace(traces, ports),
    });
  const changes = await afterAnswer("mutateExisting"), generations = await afterAnswer("generate");
  const rules = traces.flatMap((trace) => trace.rules).map(reportOfTrace);
  const given: Json = request.object ?? request.oldObject ?? null;
  const mutated = mutation.object ?? given;
  return {
    input,
    inputKind: "review",
    allowed: !rules.some(({ refuses }) => refuses),
    rules,
    object: given,
    mutated,
    patch: mutation.patch,
    generated: generations.effects.filter(({ verb }) => verb !== "delete").map(({ object }) => object),
    targets: targetsOf(changes.effects.map(({ object }) => object), setting),
    lookups: lookups.list,
    ...await webhookAnswer(request, setting, new Lookups()),
  };
}

/** The answer of the webhooks to a request, with the values of the context for each rule. */
async function webhookAnswer(
  request: AdmissionRequest,
  setting: Setting,
  lookups: Lookups,
): Promise<AdmissionAnswer> {
  const { snapshot, context } = setting;
  const { values } = context;
  return await answerAdmission(request, {
    snapshot,
    ports: admissionPorts(setting, { input: { namespace: request.namespace }, lookups }),
    absent: absentSources(context),
    given: (policy, rule) => values.forRule(policy, rule),
  });
}

/**
 * The ports of the webhooks. Their cluster contains the namespace of the request, as a real cluster does, with the
 * labels from the context.
 */
function admissionPorts(
  { context, clusters }: Setting,
  { input, lookups }: { readonly input: Pick<InputName, "namespace">; readonly lookups: Lookups },
): Ports {
  const { namespace } = input;
  const isGiven = context.objects.some((object) =>
    object["kind"] === "Namespace" && field(object["metadata"], "name") === namespace
  );
  const labels = context.values.namespaceLabels.get(namespace) ?? {};
  const cluster = clusters.all.open(
    namespace === "" || isGiven ? undefined : {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "kubernetes.io/metadata.name": namespace, ...labels } },
    },
  );
  return simulationPorts(context, { cluster, language: "jmespath", lookups });
}

/** Evaluates JSON that is no Kubernetes object. Only policies about JSON apply to it. */
async function simulatePayload(
  payload: Json,
  input: InputName,
  setting: Setting,
): Promise<InputOutcome> {
  const scanned = scan(payload, setting);
  const { rules, lookups } = isObject(payload) && setting.snapshot.policies.length > 0
    ? await applyTraced(payload, setting)
    : { rules: [], lookups: new Lookups() };
  // Classic rules match kinds of Kubernetes, which a payload does not have.
  const deciding = [...rules.filter(({ policyKind }) => !hasRules(policyKind)), ...scanned];
  return {
    ...emptyOutcome(input, "payload"),
    allowed: !deciding.some(({ refuses }) => refuses),
    rules: deciding,
    object: payload,
    mutated: payload,
    lookups: lookups.list,
  };
}

/** The results of the assertion trees of json.kyverno.io. */
function scan(payload: Json, { snapshot, context, clusters }: Setting): RuleReport[] {
  if (snapshot.jsonPolicies.length === 0) return [];
  const ports = simulationPorts(context, {
    cluster: clusters.context.open(),
    language: "jmespath",
    lookups: new Lookups(),
  });
  return scanPayload(snapshot.jsonPolicies, payload, ports).map((result) => {
    const [row] = scanObject([result])["results"] as JsonObject[];
    return reportOfScan(result, asString(row!["message"]) ?? "");
  });
}

function targetsOf(
  after: readonly JsonObject[],
  { context, objects }: Setting,
): ChangedTarget[] {
  const objectsBefore = [...context.objects, ...objects];
  return after.map((object) => ({
    before: objectsBefore.find((each) => isSameObject(identityOf(each), identityOf(object))),
    after: object,
  }));
}

function emptyOutcome(input: InputName, inputKind: InputOutcome["inputKind"]): InputOutcome {
  return {
    input,
    inputKind,
    allowed: true,
    rules: [],
    object: null,
    mutated: null,
    patch: [],
    generated: [],
    targets: [],
    lookups: [],
  };
}
