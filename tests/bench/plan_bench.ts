/**
 * Measures how much `lib/engine/plan` saves: a Pod through 17 patterns that it passes, and through 10 merges, with
 * the metrics of the results. Compare with the optimisation switched off, in turns and by processor time.
 */
import { type Decision, evaluate, type Phase } from "../../lib/engine/mod.ts";
import { Metrics } from "../../lib/server/mod.ts";
import { pod, policies, ports, request } from "../engine/ports.ts";

function policy(name: string, body: string): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: Enforce
  rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${body}}]
`;
}

const settings = ["hostPID", "hostIPC", "hostNetwork"];
const patterns = Array.from({ length: 17 }, (_, index) =>
  policy(
    `p${index}`,
    `validate: {message: m, pattern: {spec: {=(${settings[index % 3]}): "false", ` +
      'containers: [{=(securityContext): {=(privileged): "false"}}]}}}',
  ));
const merges = Array.from({ length: 10 }, (_, index) =>
  policy(
    `m${index}`,
    `mutate: {patchStrategicMerge: {metadata: {labels: {l${index}: x}}, ` +
      `spec: {containers: [{(name): "*", securityContext: {f${index}: true}}]}}}`,
  ));

const snapshot = policies([...patterns, ...merges].join(""));
const object = pod({
  containers: [
    { name: "a", image: "x:1", securityContext: { runAsNonRoot: true }, ports: [{ containerPort: 80 }] },
    { name: "b", image: "y:1" },
  ],
});
const about = request(object);
const none = ports();
const metrics = new Metrics();

function decide(phase: Phase): void {
  const decision = evaluate(snapshot, about, { phase, rules: "admission", ports: none });
  metrics.decided(decision as Decision, about);
}

Deno.bench("17 patterns that a Pod passes", () => decide("validate"));
Deno.bench("10 merges in a row", () => decide("mutate"));
