import type { AbsentSource } from "../context/mod.ts";
import { type Decision, evaluate, type Phase, type Snapshot, type Trace } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { hasRules } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { type GivenUser, otherValues, resourceRequest } from "./resource_request.ts";
import { nest, type Values } from "./values.ts";

/** The policies, ports and given values with which {@link decideStep} evaluates an object from a file. */
export interface DecideOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  /** The ports of CEL policies, where they differ from `ports`; they then serve the namespaces too. */
  readonly celPorts?: Ports;
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** The sources that cannot be loaded here. Context entries of these kinds count as not declared. */
  readonly absent: readonly AbsentSource[];
  /** The source of namespaces that the values do not have: the cluster, or none. */
  readonly namespaces?: "cluster" | "values";
  /** The format of a payload; absent for objects of Kubernetes. */
  readonly payload?: "json" | "yaml" | undefined;
  /** Makes the trace of a step, when steps are explained. */
  readonly trace?: (step: Step) => Trace;
}

/** One step of one policy. */
export interface Step {
  readonly phase: Phase;
  /** The policy's key. */
  readonly policy: string;
  /** The policy's kind. */
  readonly kind: string;
}

/** Evaluates one policy in one phase for an object from a file. */
export function decideStep(
  resource: JsonObject,
  step: Step,
  options: DecideOptions,
): Decision | Promise<Decision> {
  const { phase, policy } = step;
  const { snapshot, user, absent } = options;
  const celPorts = hasRules(step.kind) ? undefined : options.celPorts;
  const values = celPorts === undefined ? options.values : { ...options.values, namespaceLabels: new Map() };
  const namespaces = celPorts === undefined ? options.namespaces ?? "values" : "cluster";
  const request = resourceRequest(resource, { policy, kind: step.kind, values, user, namespaces });
  const isDeletion = request.operation === "DELETE";
  // Kyverno parity: its command line patches the object that a DELETE does not have. Pinned by
  // tests/apply/operations_test.ts.
  const patched = isDeletion && phase === "mutate" && hasRules(step.kind) ? { object: {} } : {};
  // Kyverno parity: its command line evaluates image policies of a namespace for every object. Pinned by row
  // "ivpol-namespaced" of tests/conformance/sets/verify_images.ts.
  const namespace = step.kind === "NamespacedImageValidatingPolicy" && request.namespace !== ""
    ? policy.split("/")[0]!
    : request.namespace;
  const shared = nest(otherValues(values.forResource(policy, request.name)));
  const { payload } = options;
  const ofValues = options.namespaces === "cluster"
    ? {}
    : { namespaceObject: options.values.namespaces.get(request.namespace) ?? null };
  return evaluate(
    snapshot,
    { ...request, ...patched, namespace, ...ofValues, ...(payload !== undefined && { payload }) },
    {
      phase,
      policy,
      kind: step.kind,
      ports: celPorts ?? options.ports,
      rules: "all",
      absent,
      // A rule that names DELETE generates for the deletion of its trigger.
      ...(isDeletion && phase === "generate" && { background: {} }),
      ...(options.trace !== undefined && { trace: options.trace(step) }),
      given: (key, rule) => ({ ...shared, ...values.forRule(key, rule) }),
    },
  );
}
