/** Replicas that come, go and are cut off, on a real API server: nothing is lost, and nothing is done twice. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterForTests, kubectl, type Started, startPostern } from "./kubectl.ts";
import { pause, until } from "./waiting.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const namespace = `postern-replicas-${crypto.randomUUID().slice(0, 8)}`;

const policies = (colour: string): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-replicas}
spec:
  rules:
  - name: data
    match: {any: [{resources: {kinds: [ConfigMap], names: ["trigger*"], namespaces: [${namespace}]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: "made-for-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      data: {data: {colour: ${colour}}}
  - name: clone
    match: {any: [{resources: {kinds: [ConfigMap], names: ["trigger*"], namespaces: [${namespace}]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: "copy-for-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      clone: {namespace: ${namespace}, name: original}
  - name: once
    match: {any: [{resources: {kinds: [ConfigMap], names: ["trigger*"], namespaces: [${namespace}]}}]}
    generate:
      synchronize: false
      apiVersion: v1
      kind: ConfigMap
      name: "once-for-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      data: {data: {a: b}}
  - name: count
    match: {any: [{resources: {kinds: [ConfigMap], names: [counted], namespaces: [${namespace}]}}]}
    mutate:
      mutateExistingOnPolicyUpdate: true
      targets: [{apiVersion: v1, kind: ConfigMap, namespace: ${namespace}, name: count}]
      patchesJson6902: |-
        - {op: add, path: /data/times, value: "{{ target.data.times }}1"}
`;

function configuration(replica: Started): string {
  return webhookConfiguration({ kind: "Validating", name: namespace }, replica, [{
    name: "effects.postern.test",
    path: "/validate/fail",
    namespace,
    resources: ["configmaps", "secrets"],
    operations: ["CREATE", "UPDATE", "DELETE"],
    failurePolicy: "Ignore",
    timeoutSeconds: 5,
  }]);
}

/** Sends a replica the review of a trigger, as an API server does whose request is stored later. */
async function review({ url, caBundle }: Started, name: string): Promise<void> {
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
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        name,
        namespace,
        operation: "CREATE",
        userInfo: { username: "jane", groups: [] },
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } },
      },
    }),
  });
  assert.equal((await answer.json()).response.allowed, true);
  client.close();
}

Deno.test({
  name: "replicas lose no effect and carry out none twice in a real cluster",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const run = (...args: string[]) =>
      kubectl(kubeconfig, ["--as=jane", "--as-group=system:masters", ...args]);
    const here = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await run("-n", namespace, ...args);
      assert.equal(code, 0, err);
      return out;
    };
    const value = (object: string, path: string): Promise<string> =>
      here("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
    const holder = (): Promise<string> => value("lease/postern", ".spec.holderIdentity");

    const folder = await Deno.makeTempDir();
    const write = (colour: string) => Deno.writeTextFile(join(folder, "policies.yaml"), policies(colour));
    await write("blue");
    assert.equal((await run("create", "namespace", namespace)).code, 0);
    await here("create", "secret", "generic", "original", "--from-literal=a=1");
    await here("create", "configmap", "trigger-before");
    await here("create", "configmap", "count", "--from-literal=times=1");
    await here("create", "configmap", "counted");
    const replica = (): Promise<Started> =>
      startPostern(["--policies", folder, "--kubeconfig", kubeconfig, "--service", `${namespace}/postern`]);
    const replicas = [await replica()];
    await until(async () => await holder() !== "");
    replicas.push(await replica());
    try {
      await t.step("one of two replicas carries out mutateExistingOnPolicyUpdate", async () => {
        await until(async () => await value("configmap/count", ".data.times") !== "1");
        await pause(5000);
        assert.equal(await value("configmap/count", ".data.times"), "11");
      });
      assert.equal((await kubectl(kubeconfig, ["apply", "-f", "-"], configuration(replicas[0]!))).code, 0);
      await until(async () => {
        await here("delete", "configmap", "trigger", "--ignore-not-found");
        await here("create", "configmap", "trigger");
        await pause(1000);
        return await value("configmap/made-for-trigger", ".data.colour") === "blue" &&
          await value("secret/copy-for-trigger", ".data.a") === "MQ==";
      });
      await t.step("changed data of a rule reaches its downstream objects", async () => {
        await write("green");
        await until(async () => await value("configmap/made-for-trigger", ".data.colour") === "green", 30);
      });
      await t.step("another replica leads within 15 seconds once the leader is killed", async () => {
        const former = await holder();
        await replicas.shift()!.stop("SIGKILL");
        const started = Date.now();
        await until(async () => await holder() !== former, 20);
        assert.ok(Date.now() - started < 15_000);
        await pause(2000);
        assert.equal(await value("configmap/count", ".data.times"), "11", "what was done is not done again");
      });
      await t.step("another replica leads at once when the leader ends", async () => {
        const former = await holder();
        replicas.push(await replica());
        await replicas.shift()!.stop();
        await until(async () => ![former, ""].includes(await holder()), 5);
      });
      await replicas.shift()!.stop();
      await t.step("the last replica releases the lease", async () => {
        assert.equal(await holder(), "");
        assert.notEqual(await value("lease/postern", ".metadata.annotations"), "");
      });
      await t.step(
        "a new replica makes only the objects again that were deleted while none ran",
        async () => {
          // The webhook's failurePolicy is Ignore, and nobody answers.
          await here("delete", "configmap", "made-for-trigger");
          await here("delete", "secret", "copy-for-trigger");
          replicas.push(await replica());
          await until(async () => await value("configmap/made-for-trigger", ".data.colour") === "green", 30);
          await until(async () => await value("secret/copy-for-trigger", ".data.a") === "MQ==", 30);
          assert.equal(await value("configmap/made-for-trigger-before", ".metadata.name"), "");
          assert.equal(await value("configmap/count", ".data.times"), "11");
        },
      );
      await t.step(
        "a new replica deletes downstream objects whose trigger was deleted while none ran",
        async () => {
          await replicas.pop()!.stop();
          await here("delete", "configmap", "trigger");
          replicas.push(await replica());
          await until(async () => await value("configmap/made-for-trigger", ".metadata.name") === "", 30);
          await until(async () => await value("secret/copy-for-trigger", ".metadata.name") === "", 30);
        },
      );
      await t.step("the leader generates what waited on a replica that was killed", async () => {
        const killed = await replica();
        assert.equal((await kubectl(kubeconfig, ["apply", "-f", "-"], configuration(killed))).code, 0);
        await review(killed, "trigger-waiting");
        await until(async () =>
          (await value("lease/postern", ".metadata.annotations")).includes("effects-wait-")
        );
        await killed.stop("SIGKILL");
        // The API server still calls the replica that is gone, and ignores that it does not answer.
        await here("create", "configmap", "trigger-waiting");
        await until(async () => await value("configmap/once-for-trigger-waiting", ".data.a") === "b", 30);
      });
    } finally {
      await run("delete", "validatingwebhookconfiguration", namespace, "--ignore-not-found");
      await run("delete", "namespace", namespace, "--wait=false");
      await replicas.at(-1)!.stop().catch(() => {});
      await Deno.remove(folder, { recursive: true });
    }
  },
});
