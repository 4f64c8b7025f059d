/** Forged reviews, and requests that another webhook refuses, change nothing on a real API server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../lib/json/mod.ts";
import { clusterForTests, kubectl, type Started, startPostern } from "./kubectl.ts";
import { pause, until } from "./waiting.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const namespace = `postern-forged-${crypto.randomUUID().slice(0, 8)}`;
const attacker = `${namespace}-attacker`;

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-forged}
spec:
  rules:
  - name: colour
    match: {any: [{resources: {kinds: [ConfigMap], names: ["trigger*"], namespaces: [${namespace}]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: "made-for-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      data: {data: {colour: "{{ request.object.data.colour }}"}}
  - name: credential
    match: {any: [{resources: {kinds: [ConfigMap], names: ["wants-credential"]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: credential
      namespace: "{{ request.namespace }}"
      clone: {namespace: ${namespace}, name: credential}
  - name: stop
    match: {any: [{resources: {kinds: [ConfigMap], names: [stop], namespaces: [${namespace}]}}]}
    mutate:
      targets: [{apiVersion: apps/v1, kind: Deployment, namespace: ${namespace}, name: victim}]
      patchStrategicMerge: {spec: {replicas: 0}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-refuses}
spec:
  failurePolicy: Ignore
  rules:
  - name: refuse
    match: {any: [{resources: {kinds: [ConfigMap], namespaces: [${namespace}]}}]}
    validate:
      failureAction: Enforce
      message: refused
      deny: {conditions: {all: [{key: "{{ request.object.data.refuse || 'no' }}", operator: Equals, value: "yes"}]}}
`;
const victim = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: victim, namespace: ${namespace}}
spec:
  replicas: 1
  selector: {matchLabels: {app: victim}}
  template:
    metadata: {labels: {app: victim}}
    spec: {containers: [{name: a, image: a}]}
`;

/** Two webhooks, as two groups of policies have: the second refuses what the first admits. */
function configuration(postern: Started): string {
  const webhooks = (["Fail", "Ignore"] as const).map((failurePolicy) => ({
    name: `${failurePolicy.toLowerCase()}.postern.test`,
    path: `/validate/${failurePolicy.toLowerCase()}`,
    namespace,
    resources: ["configmaps", "secrets"],
    operations: ["CREATE", "UPDATE", "DELETE"],
    failurePolicy,
  }));
  return webhookConfiguration({ kind: "Validating", name: namespace }, postern, webhooks);
}

/**
 * Sends a review as the API server would; it must be answered as allowed, so that only effects are left to be shown.
 */
async function forge({ url, caBundle }: Started, request: JsonObject): Promise<void> {
  const subject = (request["object"] ?? request["oldObject"]) as JsonObject;
  const metadata = subject["metadata"] as JsonObject;
  const client = Deno.createHttpClient({ caCerts: [atob(caBundle)] });
  const answer = await fetch(`${url}/validate/fail`, {
    client,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: crypto.randomUUID(),
        kind: { group: "", version: "v1", kind: subject["kind"]! },
        resource: { group: "", version: "v1", resource: `${String(subject["kind"]).toLowerCase()}s` },
        namespace: metadata["namespace"]!,
        name: metadata["name"]!,
        userInfo: { username: "system:admin", groups: ["system:masters"] },
        ...request,
      },
    }),
  });
  assert.equal((await answer.json()).response.allowed, true);
  client.close();
}

Deno.test({
  name: "forged reviews and denied requests change nothing in a real cluster",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const run = (...args: string[]) =>
      kubectl(kubeconfig, ["--as=jane", "--as-group=system:masters", ...args]);
    const here = async (...args: string[]) => {
      const { code, out, err } = await run("-n", namespace, ...args);
      assert.equal(code, 0, err);
      return out;
    };
    const object = async (name: string): Promise<JsonObject> =>
      JSON.parse(await here("get", name, "-o", "json"));
    const colour = () =>
      here("get", "configmap/made-for-trigger", "--ignore-not-found", "-o", "jsonpath={.data.colour}");
    const map = (name: string, into: string, rest: JsonObject = {}): JsonObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: into },
      ...rest,
    });

    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(join(folder, "policies.yaml"), policies);
    for (const name of [namespace, attacker]) assert.equal((await run("create", "namespace", name)).code, 0);
    assert.equal((await kubectl(kubeconfig, ["create", "-f", "-"], victim)).code, 0);
    await here("create", "secret", "generic", "credential", "--from-literal=a=1");
    await here("create", "configmap", "stop");
    const postern = await startPostern(["--policies", folder, "--kubeconfig", kubeconfig]);
    try {
      const applied = await kubectl(kubeconfig, ["apply", "-f", "-"], configuration(postern));
      assert.equal(applied.code, 0, applied.err);
      // The configuration takes a moment.
      await until(async () => {
        await here("delete", "configmap", "trigger", "--ignore-not-found");
        await here("create", "configmap", "trigger", "--from-literal=colour=blue");
        await pause(1000);
        return await colour() === "blue";
      });

      await t.step(
        "an update that another webhook denies does not change the generated object",
        async () => {
          const patch = ["patch", "configmap", "trigger", "--type=merge", "-p"];
          const refused = await run("-n", namespace, ...patch, '{"data":{"colour":"red","refuse":"yes"}}');
          assert.match(refused.err, /refused/);
          // Another change meanwhile must not be taken for it.
          await here("annotate", "configmap", "trigger", "seen=1");
          await pause(2000);
          assert.equal(await colour(), "blue");
          await here(...patch, '{"data":{"colour":"green"}}');
          await until(async () => await colour() === "green");
        },
      );
      await t.step("a forged creation copies no credential", async () => {
        const wants = map("wants-credential", attacker);
        await forge(postern, { operation: "CREATE", object: wants });
        await forge(postern, { operation: "CREATE", object: wants, name: "" });
        await forge(postern, { operation: "UPDATE", object: wants, oldObject: wants });
        await pause(2000);
        const { out } = await run("-n", attacker, "get", "secret", "credential", "--ignore-not-found");
        assert.equal(out, "");
      });
      await t.step("a forged update changes no target", async () => {
        const stop = await object("configmap/stop");
        await forge(postern, { operation: "UPDATE", object: stop, oldObject: stop });
        await forge(postern, { operation: "UPDATE", object: { ...stop, data: { a: "1" } }, oldObject: stop });
        await forge(postern, { operation: "CREATE", object: map("stop", namespace, { data: { a: "1" } }) });
        await pause(2000);
        assert.equal(await here("get", "deployment/victim", "-o", "jsonpath={.spec.replicas}"), "1");
      });
      await t.step("a forged deletion deletes nothing", async () => {
        const trigger = await object("configmap/trigger");
        const metadata = { ...trigger["metadata"] as JsonObject, name: "trigger-that-never-was" };
        await forge(postern, { operation: "DELETE", oldObject: trigger });
        await forge(postern, { operation: "DELETE", oldObject: { ...trigger, metadata } });
        await pause(2000);
        assert.equal(await colour(), "green");
      });
    } finally {
      await run("delete", "validatingwebhookconfiguration", namespace, "--ignore-not-found");
      for (const name of [namespace, attacker]) await run("delete", "namespace", name, "--wait=false");
      await postern.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
