import {
  decideReview,
  type Decision,
  type GivenValues,
  isDeniedByMutation,
  type Snapshot,
} from "../engine/mod.ts";
import type { AbsentSource } from "../context/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import { admissionResponse, decidedReview } from "../library/mod.ts";
import type { Ports } from "../ports.ts";
import { admissionReview } from "../report/mod.ts";

/** The policies, ports and given values for deciding a review as the webhooks decide it. */
export interface AdmissionSetting {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly absent: readonly AbsentSource[];
  readonly given?: GivenValues;
}

/** The response to the API server, and the text that `kubectl` prints for it. */
export interface AdmissionAnswer {
  readonly response: JsonObject;
  readonly kubectl: string;
}

/** Answers a request as the two webhooks do. */
export async function answerAdmission(
  request: AdmissionRequest,
  { snapshot, ports, absent, given }: AdmissionSetting,
): Promise<AdmissionAnswer> {
  const decisions = await decideReview(snapshot, request, {
    ports,
    absent,
    ...(given !== undefined && { given }),
  });
  const decided = decidedReview(request, decisions);
  const response = admissionResponse(decided);
  return {
    response: admissionReview(response),
    kubectl: response.allowed
      ? [...(response.warnings ?? []).map((text) => `Warning: ${text}`), admittedText(request)].join("\n")
      : denialText(request, {
        decision: decided.validation ?? decided.mutation,
        message: response.status?.message ?? "",
      }),
  };
}

const verbs = { CREATE: "created", UPDATE: "configured", DELETE: "deleted", CONNECT: "connected" } as const;

/** The line that `kubectl` prints for an admitted request: `deployment.apps/web created`. */
function admittedText({ kind, name, operation }: AdmissionRequest): string {
  const type = kind.kind.toLowerCase() + (kind.group === "" ? "" : `.${kind.group}`);
  return operation === "DELETE" ? `${type} "${name}" deleted` : `${type}/${name} ${verbs[operation]}`;
}

const gerunds = { CREATE: "creating", UPDATE: "applying patch to", DELETE: "deleting", CONNECT: "" } as const;

/** The text that the API server and `kubectl` put around the message of a webhook that denies. */
function denialText(
  { operation }: AdmissionRequest,
  { decision, message }: { readonly decision: Decision; readonly message: string },
): string {
  const phase = isDeniedByMutation(decision) ? "mutate" : "validate";
  const webhook = `${phase}.postern.svc-${decision.failurePolicy.toLowerCase()}`;
  const action = operation === "CONNECT" ? "" : `error when ${gerunds[operation]} "resources.yaml": `;
  return `Error from server: ${action}admission webhook "${webhook}" denied the request: ${message}`;
}
