/**
 * Rules change other objects on a real API server: generate, synchronize, clones, mutate targets, and objects that
 * existed before.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterForTests, kubectl, type Started, startPostern } from "./kubectl.ts";
import { pause, until } from "./waiting.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const namespace = `postern-effects-${crypto.randomUUID().slice(0, 8)}`;

const wanted = (name: string): string =>
  `match: {any: [{resources: {kinds: [ConfigMap], names: ["${name}"], namespaces: [${namespace}]}}]}`;

/** A GeneratingPolicy that makes ConfigMaps for a ConfigMap; each has the value of an expression under `by`. */
function generating(name: string, trigger: string, made: Readonly<Record<string, string>>): string {
  const maps = Object.entries(made).map(([map, by]) =>
    `{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": "${map}"}), "data": dyn({"by": ${by}})}`
  );
  return `---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: ${name}}
spec:
  evaluation: {synchronize: {enabled: true}}
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}
  matchConditions:
  - {name: wanted, expression: object.metadata.name == '${trigger}'}
  generate:
  - expression: >-
      generator.Apply("${namespace}", [${maps.join(", ")}])`;
}

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-generate}
spec:
  rules:
  - name: data
    ${wanted("wanted*")}
    preconditions:
      all:
      - {key: "{{ request.object.metadata.labels.off || 'no' }}", operator: Equals, value: "no"}
    generate:
      generateExisting: true
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: "made-for-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      data: {data: {by: rule}}
  - name: clone
    ${wanted("cloner")}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: copy
      namespace: ${namespace}
      clone: {namespace: ${namespace}, name: original}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-apply}
spec:
  useServerSideApply: true
  rules:
  - name: applied
    ${wanted("applier")}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: applied
      namespace: ${namespace}
      data: {data: {by: apply}}
${generating("e2e-cel", "in-cel", { "made-by-cel": '"cel"' })}
${generating("e2e-user", "of-user", { "made-of-user": "request.userInfo.username", "taken": '"policy"' })}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: e2e-targets}
spec:
  rules:
  - name: paint
    ${wanted("painter")}
    mutate:
      targets:
      - {apiVersion: v1, kind: Secret, namespace: ${namespace}, name: "orig*"}
      patchStrategicMerge: {metadata: {annotations: {painted: "{{ request.object.metadata.name }}"}}}
  - name: scale
    ${wanted("scaler")}
    mutate:
      targets:
      - {apiVersion: apps/v1, kind: Deployment/scale, namespace: ${namespace}, name: web}
      - {apiVersion: "*", kind: StatefulSet/scale, namespace: ${namespace}}
      patchStrategicMerge: {spec: {replicas: 3}}
`;

function configuration(postern: Started): string {
  return webhookConfiguration({ kind: "Validating", name: namespace }, postern, [{
    name: "effects.postern.test",
    path: "/validate/fail",
    namespace,
    resources: ["configmaps", "secrets"],
    operations: ["CREATE", "UPDATE", "DELETE"],
  }]);
}

Deno.test({
  name: "rules change other objects of a real cluster after the answer",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    // Somebody else than Postern: rules are not asked about what Postern does itself.
    const run = (...args: string[]) =>
      kubectl(kubeconfig, ["--as=jane", "--as-group=system:masters", ...args]);
    const here = (...args: string[]) => run("-n", namespace, ...args);
    const value = async (object: string, path: string): Promise<string> =>
      (await here("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`)).out;
    const made = async (...args: string[]): Promise<void> => {
      const { code, err } = await here("create", ...args);
      assert.equal(code, 0, err);
    };

    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(join(folder, "policies.yaml"), policies);
    assert.equal((await run("create", "namespace", namespace)).code, 0);
    await made("configmap", "wanted-before");
    await made("secret", "generic", "original", "--from-literal=a=1");
    const postern = await startPostern(["--policies", folder, "--kubeconfig", kubeconfig]);
    try {
      await t.step(
        "generateExisting makes missing objects for existing triggers",
        async () => {
          await until(async () => await value("configmap/made-for-wanted-before", ".data.by") === "rule");
        },
      );
      const applied = await kubectl(kubeconfig, ["apply", "-f", "-"], configuration(postern));
      assert.equal(applied.code, 0, applied.err);
      // The configuration takes a moment: new triggers are made until one has its effect.
      let tries = 0;
      await until(async () => {
        await made("configmap", `wanted-${++tries}`);
        await pause(1000);
        return await value(`configmap/made-for-wanted-${tries}`, ".data.by") === "rule";
      });
      const trigger = `wanted-${tries}`;

      await t.step("generated objects name their rule and their trigger", async () => {
        const uid = await value(`configmap/${trigger}`, ".metadata.uid");
        const label = await value(
          `configmap/made-for-${trigger}`,
          String.raw`.metadata.labels.generate\.kyverno\.io/trigger-uid`,
        );
        assert.equal(label, uid);
      });
      await t.step("the worker restores an edited object", async () => {
        await here(
          "patch",
          "configmap",
          `made-for-${trigger}`,
          "--type=merge",
          "-p",
          '{"data":{"by":"hand"}}',
        );
        await until(async () => await value(`configmap/made-for-${trigger}`, ".data.by") === "rule");
      });
      await t.step("the worker makes a deleted object again", async () => {
        const uid = await value(`configmap/made-for-${trigger}`, ".metadata.uid");
        await here("delete", "configmap", `made-for-${trigger}`);
        await until(async () => {
          const other = await value(`configmap/made-for-${trigger}`, ".metadata.uid");
          return other !== "" && other !== uid;
        });
      });
      await t.step("a dry run has no effect", async () => {
        await here("create", "configmap", "wanted-dry", "--dry-run=server");
        await pause(1500);
        assert.equal(await value("configmap/made-for-wanted-dry", ".metadata.name"), "");
      });
      await t.step(
        "downstream objects are deleted when the trigger no longer meets the preconditions",
        async () => {
          await here("label", "configmap", trigger, "off=yes");
          await until(async () => await value(`configmap/made-for-${trigger}`, ".metadata.name") === "");
        },
      );
      await t.step("downstream objects are deleted with their trigger", async () => {
        await here("delete", "configmap", "wanted-before");
        await until(async () => await value("configmap/made-for-wanted-before", ".metadata.name") === "");
      });
      await t.step("a rule makes a clone, and labels its source", async () => {
        await made("configmap", "cloner");
        await until(async () => await value("secret/copy", ".data.a") === "MQ==");
        const source = await here("get", "secret", "original", "--show-labels");
        assert.match(source.out, /generate\.kyverno\.io\/clone-source=/);
      });
      await t.step("the clone follows its source until it is deleted", async () => {
        await here("patch", "secret", "original", "--type=merge", "-p", '{"data":{"a":"Mg=="}}');
        await until(async () => await value("secret/copy", ".data.a") === "Mg==");
        await here("delete", "secret", "original");
        await until(async () => await value("secret/copy", ".metadata.name") === "");
        await made("secret", "generic", "original", "--from-literal=a=1");
      });
      await t.step("server-side apply makes an object and owns it", async () => {
        await made("configmap", "applier");
        await until(async () => await value("configmap/applied", ".data.by") === "apply");
        const { out } = await here("get", "configmap", "applied", "--show-managed-fields", "-o", "yaml");
        assert.match(out, /manager: kyverno-generate\n\s+operation: Apply/);
      });
      await t.step(
        "an edited object of a GeneratingPolicy is restored, and a deleted one made again",
        async () => {
          await made("configmap", "in-cel");
          const by = (): Promise<string> => value("configmap/made-by-cel", ".data.by");
          await until(async () => await by() === "cel");
          await here("patch", "configmap", "made-by-cel", "--type=merge", "-p", '{"data":{"by":"hand"}}');
          await until(async () => await by() === "cel");
          await here("delete", "configmap", "made-by-cel");
          await until(async () => await by() === "cel");
        },
      );
      await t.step(
        "an object of a GeneratingPolicy that depends on the user of a request is restored, made again, and withdrawn",
        async () => {
          await made("configmap", "taken", "--from-literal=by=hand");
          await made("configmap", "of-user");
          const by = (): Promise<string> => value("configmap/made-of-user", ".data.by");
          await until(async () => await by() !== "");
          const user = await by();
          const patch = '{"metadata":{"labels":null},"data":{"by":"hand","added":"key"}}';
          await here("patch", "configmap", "made-of-user", "--type=merge", "-p", patch);
          await until(async () => await by() === user);
          assert.equal(await value("configmap/made-of-user", ".data.added"), "");
          await here("delete", "configmap", "made-of-user");
          await until(async () => await by() === user);
          await here("delete", "configmap", "of-user");
          await until(async () => await by() === "");
          assert.equal(await value("configmap/taken", ".data.by"), "hand");
        },
      );
      await t.step("a mutateExisting rule changes its targets", async () => {
        await made("configmap", "painter");
        await until(async () =>
          await value("secret/original", ".metadata.annotations.painted") === "painter"
        );
      });
      await t.step("a mutateExisting rule changes the subresources of its targets", async () => {
        const template = {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "registry.invalid/web" }] },
        };
        for (const kind of ["Deployment", "StatefulSet"]) {
          const selector = { matchLabels: { app: "web" } };
          const spec = {
            replicas: 1,
            selector,
            template,
            ...(kind === "StatefulSet" && { serviceName: "web" }),
          };
          const object = { apiVersion: "apps/v1", kind, metadata: { name: "web", namespace }, spec };
          const { code, err } = await kubectl(kubeconfig, ["create", "-f", "-"], JSON.stringify(object));
          assert.equal(code, 0, err);
        }
        await made("configmap", "scaler");
        for (const kind of ["deployment", "statefulset"]) {
          await until(async () => await value(`${kind}/web`, ".spec.replicas") === "3");
        }
      });
    } finally {
      await run("delete", "validatingwebhookconfiguration", namespace, "--ignore-not-found");
      await run("delete", "namespace", namespace, "--wait=false");
      await postern.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
