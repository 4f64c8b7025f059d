import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import { asObject, dig, Fault, isFault, isList, type Json, type JsonObject } from "../json/mod.ts";
import { Bindings } from "../jmespath/mod.ts";
import type { LocatedDocument } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { compileJsonPolicy, type JsonPolicy, type JsonRuleResult, standardCompilers } from "../rules/mod.ts";

/** A ValidatingPolicy of json.kyverno.io, ready to judge payloads. */
export interface CompiledJsonPolicy extends JsonPolicy {
  readonly labels: JsonObject;
}

/** What a rule of a JSON policy says of one payload. */
export interface JsonResult extends JsonRuleResult {
  readonly policy: string;
}

/** What scans need of the world. */
export type ScanPorts = Pick<Ports, "clock" | "entropy">;

/** Compiles the JSON policies among other documents, in their order; what is wrong with them is reported with its place. */
export function compileJsonPolicies(
  documents: readonly LocatedDocument[],
  report: (diagnostic: Diagnostic) => void,
): readonly CompiledJsonPolicy[] {
  const own = documents.filter(({ group, kind }) =>
    group === "json.kyverno.io" && kind === "ValidatingPolicy"
  );
  return own.map(({ document, locate }) => {
    const policy = compileJsonPolicy(document, standardCompilers());
    for (const { path, message } of policy.problems) {
      const position: Position | undefined = locate(stepsOf(path));
      report({
        severity: "error",
        code: "bad-assertion",
        message: `${path}: ${message}`,
        policy: policy.name,
        ...(position && { position }),
      });
    }
    return { ...policy, labels: asObject(dig(document, "metadata", "labels")) ?? {} };
  });
}

/** The keys and indices of `spec.rules[0].assert`; keys of a tree may hold dots, so its places end where it begins. */
function stepsOf(path: string): (string | number)[] {
  const written = /^(?:[A-Za-z]+(?:\[\d+\])*(?:\.|$))+/.exec(path)?.[0] ?? "";
  return [...written.matchAll(/[A-Za-z]+|\d+/g)].map(([part]) => /^\d/.test(part) ? Number(part) : part);
}

/** Applies expressions to a payload, each to what the one before gave; a fault when one fails or gives null. */
export function preprocess(payload: Json, expressions: readonly string[], ports: ScanPorts): Json | Fault {
  const compile = standardCompilers().byName.get("jp")!;
  let current = payload;
  for (const text of expressions) {
    const expression = compile(text);
    const result = isFault(expression) ? expression : expression(current, surroundings(ports));
    if (isFault(result)) return new Fault(`failed to execute preprocessor (${text}) - ${result.message}`);
    if (result === null) return new Fault(`preprocessor resulted in \`null\` payload (${text})`);
    current = result;
  }
  return current;
}

/** The values that a payload stands for: the elements of a list, or the value itself. */
export function payloadItems(payload: Json): readonly Json[] {
  return isList(payload) ? payload : [payload];
}

/** Asks each policy about each value; rules that do not match a value say nothing of it. */
export function scanPayload(
  policies: readonly CompiledJsonPolicy[],
  payload: Json,
  ports: ScanPorts,
): readonly JsonResult[] {
  const around = surroundings(ports);
  return payloadItems(payload).flatMap((item) =>
    policies.flatMap((policy) =>
      policy.scan(item, around).map((result): JsonResult => ({ ...result, policy: policy.name }))
    )
  );
}

function surroundings({ clock, entropy }: ScanPorts): Parameters<JsonPolicy["scan"]>[1] {
  const now = clock.now();
  return { bindings: Bindings.none, environment: { now: () => now, random: () => entropy.next() } };
}
