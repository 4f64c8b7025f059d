import {
  type Activation,
  type CelType,
  dynType,
  type ExternalCalls,
  kyvernoLibrariesFor,
  type KyvernoLibraryOptions,
  type Library,
  listType,
  objectType,
  stringType,
  type Value,
  withDoubles,
} from "../../cel/mod.ts";
import { asList, isFault, type Json, type JsonObject, textField } from "../../json/mod.ts";
import { type AddressRules, compileAddressRules } from "../../kube/mod.ts";
import {
  admissionRoots,
  CelEvaluation,
  ExpressionSet,
  type ExpressionSetOptions,
  type Generate,
  kyvernoVariables,
  orValueLibrary,
  requestHost,
} from "../cel/mod.ts";
import type { RuleInput } from "../rule_kind.ts";
import type { PolicyTools } from "./policy_kind.ts";

const exceptionsType: CelType = objectType("libs.Exception", {
  allowedImages: listType(stringType),
  allowedValues: listType(stringType),
});

/** The variables of an image policy in mode JSON, which has no request. */
export const payloadVariables: Readonly<Record<string, CelType>> = {
  object: dynType,
  exceptions: exceptionsType,
};

/**
 * Kyverno parity: services on this machine, in private networks and of the cloud are not called. Pinned by
 * tests/cel/libraries/external_calls_test.ts.
 */
const addresses = openAddresses();

function openAddresses(): AddressRules {
  const rules = compileAddressRules({});
  if (isFault(rules)) throw new Error(rules.message);
  return rules;
}

/** The environment that one kind of policy adds to the environment of all kinds. */
export interface KyvernoExpressionsOptions {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly libraries?: readonly Library[];
  readonly literals?: "homogeneous" | "mixed";
  readonly purpose?: NonNullable<KyvernoLibraryOptions["purpose"]>;
  /** The variables of all kinds; by default those of the request. */
  readonly common?: Readonly<Record<string, CelType>>;
  readonly onUnusable?: NonNullable<ExpressionSetOptions["onUnusable"]>;
}

/** Expressions with the variables and functions of Kyverno's own policies. */
export function kyvernoExpressions(
  { policy, report, need }: Pick<PolicyTools, "policy" | "report" | "need">,
  {
    variables = {},
    libraries = [],
    literals = "homogeneous",
    purpose = "validate",
    common = { ...kyvernoVariables, exceptions: exceptionsType },
    onUnusable,
  }: KyvernoExpressionsOptions = {},
): ExpressionSet {
  const within = policy.namespace === undefined ? {} : { namespace: policy.namespace };
  return new ExpressionSet({
    typed: true,
    variables: { ...common, ...variables },
    libraries: [...kyvernoLibrariesFor({ ...within, addresses, purpose }), orValueLibrary, ...libraries],
    literals,
    report,
    need,
    ...(onUnusable !== undefined && { onUnusable }),
  });
}

/** Adds the `variables` of a spec. */
export function defineVariables(expressions: ExpressionSet, written: Json | undefined): void {
  asList(written).forEach((variable, index) => {
    const name = textField(variable, "name");
    const text = textField(variable, "expression");
    expressions.define(name, text, ["spec", "variables", index, "expression"]);
  });
}

/** The variables and functions that an evaluation adds to those of the request. */
export interface KyvernoEvaluationOptions {
  /** Variables that are read before those of the request. */
  readonly over?: Activation;
  readonly generate?: Generate;
  /** Wraps the external calls, so that a kind can answer some itself. */
  readonly external?: (usual: ExternalCalls) => ExternalCalls;
}

/** Makes the evaluation of a Kyverno policy's expressions for one request. `allow` sets the variable `exceptions`. */
export function kyvernoEvaluation(
  expressions: ExpressionSet,
  input: RuleInput,
  { over, generate, external = (usual) => usual }: KyvernoEvaluationOptions = {},
): { readonly evaluation: CelEvaluation; allow(values: Allowed): void } {
  let allowed: Value = { allowedImages: [], allowedValues: [] };
  const variables = admissionRoots(input, (name) => name === "exceptions" ? allowed : undefined, "stored");
  const evaluation = new CelEvaluation({
    roots: over === undefined ? variables : (name) => {
      const value = over(name);
      return value === undefined ? variables(name) : value;
    },
    variables: expressions.variables,
    host: external(requestHost(input, generate)),
    tracker: input.context.tracker,
  });
  return { evaluation, allow: (values) => void (allowed = { ...values }) };
}

/**
 * The variables in mode JSON: there is no request, and all numbers are doubles, as Go reads JSON. Kyverno parity: a
 * payload in YAML has ints. Pinned by tests/cli/apply_payloads_test.ts.
 */
export function payloadRoots({ resource, payload }: RuleInput): Activation {
  let object: Value | undefined;
  return (name) => {
    switch (name) {
      case "object":
        return object ??= payload === "yaml" ? resource ?? null : withDoubles(resource ?? null);
      case "oldObject":
      case "request":
      case "namespaceObject":
        return null;
      default:
        return undefined;
    }
  };
}

/** The images and values that exceptions make a policy allow. */
export interface Allowed {
  readonly allowedImages: readonly string[];
  readonly allowedValues: readonly string[];
}

/** The audit annotations of a result as properties, if there are any. */
export function properties(
  annotations: Readonly<Record<string, string>>,
): { readonly properties?: JsonObject } {
  return Object.keys(annotations).length === 0 ? {} : { properties: annotations };
}
