import type { PolicyRequest } from "../../engine/mod.ts";
import {
  asList,
  asString,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { formatApiVersion, labelsOf as writtenLabels, nameOf } from "../../kube/mod.ts";
import type { RuleType } from "../../rules/mod.ts";

/** The label of UpdateRequests that Postern made. */
const posternLabel = { "app.kubernetes.io/managed-by": "postern" } as const;

/** An effect that an UpdateRequest requests: a rule of a policy, and the trigger. */
export interface WantedEffect {
  /** `namespace/name` of a Policy. */
  readonly policy: string;
  readonly rule: string;
  readonly trigger: JsonObject;
}

/** The contents of an UpdateRequest of a policy. */
export interface UpdateRequestInput {
  readonly name: string;
  readonly namespace: string;
  readonly policy: string;
  readonly isClassic: boolean;
  readonly type: Extract<RuleType, "generate" | "mutateExisting">;
  readonly rules: readonly string[];
  readonly request: PolicyRequest;
}

/**
 * The UpdateRequest for effects that are not done. Kyverno parity: its fields and labels. Pinned by
 * tests/live/update_requests_test.ts.
 */
export function updateRequest(input: UpdateRequestInput): JsonObject {
  const { name, namespace, policy, isClassic, type, rules, request } = input;
  const trigger = triggerOf(request);
  const word = type === "generate" ? "generate" : "mutate";
  const deleteDownstream = request.operation === "DELETE";
  return {
    apiVersion: "kyverno.io/v2",
    kind: "UpdateRequest",
    metadata: { name, namespace, labels: { ...posternLabel, ...labelsOf(input, trigger) } },
    spec: {
      requestType: isClassic ? word : `cel-${word}`,
      policy,
      rule: rules[0] ?? "",
      resource: trigger,
      deleteDownstream,
      ruleContext: rules.map((rule) => ({ rule, trigger, deleteDownstream })),
      context: {
        ...(request.requester !== undefined && {
          userInfo: {
            userInfo: { username: request.requester.username, groups: [...request.requester.groups] },
          },
        }),
      },
    },
  };
}

function triggerOf({ group, version, kind, namespace, name, object, oldObject }: PolicyRequest): JsonObject {
  const found = object ?? oldObject ?? {};
  const uid = asString(dig(found, "metadata", "uid"));
  return {
    apiVersion: formatApiVersion({ group, version }),
    kind,
    name: nameOf(found) || name,
    ...(namespace !== "" && kind !== "Namespace" && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}

function labelsOf({ policy, type }: UpdateRequestInput, trigger: JsonObject): JsonObject {
  const prefix = type === "generate" ? "generate.kyverno.io" : "mutate.updaterequest.kyverno.io";
  const values: JsonObject = {
    "policy-name": policy,
    "trigger-name": trigger["name"] ?? "",
    "trigger-namespace": trigger["namespace"] ?? "",
    "trigger-kind": trigger["kind"] ?? "",
    "trigger-apiversion": trigger["apiVersion"] ?? "",
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}/${name}`, labelValue(value)]),
  );
}

/** A label's value: without slashes, and with at most 63 characters. */
function labelValue(value: Json): string {
  return (asString(value) ?? "").replaceAll("/", "-").slice(0, 63).replace(
    /(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/,
    "",
  );
}

/** The effects that an UpdateRequest requests, also one of another client. */
export function wantedEffects(object: JsonObject): WantedEffect[] {
  const spec = object["spec"];
  const policy = textField(spec, "policy");
  const contexts = asList(field(spec, "ruleContext")).filter(isObject);
  const wanted = contexts.length > 0
    ? contexts.map((context) => ({ rule: field(context, "rule"), trigger: field(context, "trigger") }))
    : [{ rule: field(spec, "rule"), trigger: field(spec, "resource") }];
  return wanted.map(({ rule, trigger }) => ({
    policy,
    rule: asString(rule) ?? "",
    trigger: isObject(trigger) ? trigger : {},
  }));
}

/** Whether a replica of Postern made an UpdateRequest. */
export function isMadeByPostern(object: JsonObject): boolean {
  const [[name, value]] = Object.entries(posternLabel) as [[string, string]];
  return writtenLabels(object)[name] === value;
}
