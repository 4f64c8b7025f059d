/** A first meeting with a real API server: Postern as its webhook, kubectl as its user. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const namespace = `postern-e2e-${crypto.randomUUID().slice(0, 8)}`;
const webhook = `${namespace}-webhook`;

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-latest}
spec:
  validationFailureAction: Enforce
  rules:
  - name: tag
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: "Images need a tag that is not latest."
      pattern: {spec: {containers: [{image: "!*:latest & *:*"}]}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams}
spec:
  validationFailureAction: Enforce
  rules:
  - name: known-team
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: teams
      configMap: {name: teams, namespace: ${namespace}}
    validate:
      message: "Team {{ request.object.metadata.labels.team || 'none' }} is not one of {{ teams.data.names }}."
      deny:
        conditions:
          all:
          - {key: "{{ request.object.metadata.labels.team || 'none' }}", operator: AnyNotIn, value: "{{ teams.data.names }}"}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: who}
spec:
  background: false
  rules:
  - name: created-by
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate:
      patchStrategicMerge:
        metadata: {labels: {created-by: "{{ request.userInfo.username }}"}}
`;

function configuration(
  kind: "Validating" | "Mutating",
  postern: { readonly url: string; readonly caBundle: string },
): string {
  return webhookConfiguration({ kind, name: webhook }, postern, [{
    name: "e2e.postern.test",
    path: kind === "Validating" ? "/validate/fail" : "/mutate/fail",
    namespace,
    resources: ["pods"],
    operations: ["CREATE", "UPDATE"],
  }]);
}

function pod(name: string, image: string, labels: Record<string, string>): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "web", image }] },
  });
}

Deno.test({
  name: "a real API server calls Postern: kubectl shows the denial, the ConfigMap's teams, and the mutation",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(join(folder, "policies.yaml"), policies);
    const run = (args: string[], input?: string) => kubectl(kubeconfig, args, input);
    assert.equal((await run(["create", "namespace", namespace])).code, 0);
    await run(["create", "serviceaccount", "default", "-n", namespace]);
    const postern = await startPostern(["--policies", folder, "--kubeconfig", kubeconfig]);
    try {
      const names = JSON.stringify(["red", "blue"]);
      assert.equal(
        (await run(["create", "configmap", "teams", "-n", namespace, `--from-literal=names=${names}`])).code,
        0,
      );
      for (const kind of ["Validating", "Mutating"] as const) {
        const applied = await run(["apply", "-f", "-"], configuration(kind, postern));
        assert.equal(applied.code, 0, applied.err);
      }
      await takesEffect(() => run(["create", "-f", "-"], pod("probe", "nginx:latest", { team: "red" })));

      await t.step("a Pod that a policy forbids is denied, and kubectl prints the reason", async () => {
        const { code, err } = await run(["create", "-f", "-"], pod("bad", "nginx:latest", { team: "red" }));
        assert.notEqual(code, 0);
        assert.match(err, /admission webhook "e2e\.postern\.test" denied the request/);
        assert.match(
          err,
          new RegExp(`resource Pod/${namespace}/bad was blocked due to the following policies`),
        );
        assert.match(
          err,
          /no-latest:\n\s+tag: 'validation error: Images need a tag that is not latest\. rule tag\n?\s*failed at path \/spec\/containers\/0\/image\/'/,
        );
      });
      await t.step("a team that is not in the ConfigMap is denied", async () => {
        const { code, err } = await run(["create", "-f", "-"], pod("stray", "nginx:1.27", { team: "green" }));
        assert.notEqual(code, 0);
        assert.match(err, /Team green is not one of \["red","blue"\]\./);
      });
      await t.step("a valid Pod is admitted, and has a label with its creator", async () => {
        const { code, err } = await run(["create", "-f", "-"], pod("good", "nginx:1.27", { team: "blue" }));
        assert.equal(code, 0, err);
        const { out } = await run([
          "get",
          "pod",
          "good",
          "-n",
          namespace,
          "-o",
          "jsonpath={.metadata.labels.created-by}",
        ]);
        assert.equal(out, "admin");
      });
    } finally {
      for (const kind of ["validatingwebhookconfiguration", "mutatingwebhookconfiguration"]) {
        await run(["delete", kind, webhook, "--ignore-not-found"]);
      }
      await run(["delete", "namespace", namespace, "--wait=false"]);
      await postern.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/**
 * Webhook configurations reach the API server's admission a moment after they are stored: wait for the first denial.
 */
async function takesEffect(attempt: () => Promise<{ code: number; err: string }>): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const { code, err } = await attempt();
    if (code !== 0 && err.includes("denied the request")) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the webhook configuration had no effect within ten seconds");
}
