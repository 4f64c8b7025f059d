/** A leader with UpdateRequests in an embedded cluster, and its worker. */
import type { EffectsResult, Intake, JobScope } from "../../lib/background/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import { compile, evaluate, type PolicyRequest } from "../../lib/engine/mod.ts";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { UpdateRequests } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Cluster, Collections, ObjectChange } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

const policyText = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: quotas}
spec:
  rules:
  - name: quota
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate: {apiVersion: v1, kind: Secret, name: s, namespace: team, data: {data: {}}}
`;

export const team: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", uid: "u-team" },
};

export const request: PolicyRequest = { ...existingRequest(team), uid: "r-1" };

export const path = "/apis/kyverno.io/v2/namespaces/kyverno/updaterequests";

export async function effectsResult(
  state: EffectsResult["state"],
  message?: string,
  nothingToDo?: "notStored" | "targetMissing",
): Promise<EffectsResult> {
  const snapshot = compile(parseDocuments(policyText, "p.yaml").documents, { dialect: "current" });
  const { results } = await evaluate(snapshot, request, {
    phase: "generate",
    ports: clusterPorts([]),
    background: {},
  });
  const failures = message === undefined ? [] : [{
    message,
    retryable: true,
    ...(nothingToDo && { nothingToDo }),
    by: { policy: "quotas", rule: "quota" },
  }];
  return { state, request, results, carried: [], failures };
}

/** Update requests in a cluster, and what was done for them. */
interface UpdateRequestSetting {
  /** The calls that write. */
  readonly calls: readonly ApiCall[];
  /** The requests that the worker got, the rule of each, and how it says that it has ended. */
  readonly worked: readonly PolicyRequest[];
  readonly rules: readonly (string | undefined)[];
  readonly ends: readonly JobScope["ended"][];
  readonly requests: UpdateRequests;
  /** The objects of the collection, which a test may change. */
  readonly stored: JsonObject[];
  listings(): number;
  /** Reports a change of the collection. */
  notice(object: JsonObject, former?: JsonObject): void | Promise<void>;
}

/**
 * Update requests over a cluster that serves some objects, and a worker with some answers, the last one for all
 * later.
 */
export function setUp(
  { reads = {}, writes, intakes = ["taken"], wait = () => Promise.resolve(true) }: {
    reads?: Record<string, Json>;
    /** The answer to a call that writes; an empty object by default. */
    writes?: (call: ApiCall) => Answer | undefined;
    intakes?: readonly Intake[];
    wait?: () => Promise<boolean>;
  } = {},
): UpdateRequestSetting {
  const calls: ApiCall[] = [];
  const worked: PolicyRequest[] = [];
  const rules: (string | undefined)[] = [];
  const ends: JobScope["ended"][] = [];
  const stored: JsonObject[] = [];
  let listings = 0;
  let notice: (change: ObjectChange) => void | Promise<void> = () => {};
  const cluster: Cluster = {
    call: (call): Promise<Answer> => {
      if (call.method !== "GET") calls.push(call);
      const body = reads[call.path];
      if (call.method !== "GET") {
        return Promise.resolve(writes?.(call) ?? { ok: true, status: 200, body: {} });
      }
      return Promise.resolve(
        body === undefined
          ? { ok: false, status: 404, message: "not found" }
          : { ok: true, status: 200, body },
      );
    },
    resource: (_, kind) =>
      Promise.resolve(
        kind === "Namespace"
          ? { group: "", version: "v1", kind, plural: "namespaces", namespaced: false }
          : undefined,
      ),
  };
  const collections: Collections = {
    watch(_, changed) {
      notice = changed;
      return {
        objects: () => (listings++, stored),
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
  };
  const requests = new UpdateRequests({
    cluster,
    clock: { now: () => 0 },
    collections,
    log: { write: () => {} },
    leads: () => true,
    namespace: "kyverno",
    work: (each, { only, ended }) => {
      worked.push(each);
      rules.push(only?.rule);
      ends.push(ended);
      return intakes[worked.length - 1] ?? intakes.at(-1)!;
    },
    wait,
  });
  return {
    calls,
    worked,
    rules,
    ends,
    requests,
    stored,
    listings: () => listings,
    notice: (object: JsonObject, former?: JsonObject) => notice({ object, former }),
  };
}

export const callText = ({ method, path, body }: ApiCall): string =>
  [method, path.replace(/ur-[0-9a-f]{8}/, "UR"), dig(body, "status", "state") ?? ""].join(" ").trim();

/** Waits until queued writes have begun. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

export const theirs = `${path}/theirs`;

export const ours: JsonObject = {
  name: "theirs",
  namespace: "kyverno",
  labels: { "app.kubernetes.io/managed-by": "postern" },
};

export function requestOf(rules: readonly string[]): JsonObject {
  const trigger = { apiVersion: "v1", kind: "Namespace", name: "team" };
  return {
    ...requestNamed("team"),
    spec: { policy: "quotas", ruleContext: rules.map((rule) => ({ rule, trigger })) },
  };
}

export function requestNamed(name: string): JsonObject {
  const trigger = { apiVersion: "v1", kind: "Namespace", name };
  return {
    metadata: { name: "theirs", namespace: "kyverno" },
    spec: { requestType: "generate", policy: "quotas", rule: "quota", resource: trigger },
  };
}
