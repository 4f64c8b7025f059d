/** Decisions that wait for nothing, and short policies for them. */
import assert from "node:assert/strict";
import {
  type Decision,
  evaluate,
  type EvaluateOptions,
  type PolicyRequest,
  type Snapshot,
} from "../../lib/engine/mod.ts";
import type { Ports } from "../../lib/ports.ts";
import { ports } from "./ports.ts";

export function decideNow(
  snapshot: Snapshot,
  about: PolicyRequest,
  options: Partial<EvaluateOptions> & { readonly ports?: Ports } = {},
): Decision {
  const decision = evaluate(snapshot, about, { phase: "validate", ports: ports(), ...options });
  assert.ok(!(decision instanceof Promise), "a request without external values is decided at once");
  return decision;
}

export function results(decision: Decision): string[] {
  return decision.results.flatMap(({ policy, rules }) =>
    rules.map((rule) => `${policy.key}/${rule.rule} ${rule.result}`)
  );
}

export function policy(name: string, rules: string, spec = "validationFailureAction: Enforce"): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  rules:
${rules}
`;
}

export const noHostPid = `  - name: no-host-pid
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no host PID, pattern: {spec: {=(hostPID): false}}}`;
