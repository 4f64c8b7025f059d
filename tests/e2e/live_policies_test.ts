/** Policies as objects of a real API server: they come into force, say so, and take their webhooks with them. */
import assert from "node:assert/strict";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import { dirname } from "node:path";
import { kubeconfigEndpoint, LiveCluster, systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { eventually, pause } from "./waiting.ts";
import { definitions } from "../../lib/install/mod.ts";

const cluster = clusterForTests();
const namespace = `live-${crypto.randomUUID().slice(0, 8)}`;
/** Postern's own namespace is left out of its webhooks. */
const installation = `${namespace}-postern`;
const webhooks = "validatingwebhookconfiguration/postern-resource-validating-webhook-cfg";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${namespace}, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  background: true
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap], namespaces: [${namespace}]}}]}
    validate:
      failureAction: Enforce
      message: "a ConfigMap needs a team"
      pattern: {metadata: {labels: {team: "?*"}}}
`;

const configMap = (name: string, labels: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: ${namespace}, labels: {${labels}}}
`;

const leasePolicy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${namespace}-leases}
spec:
  background: false
  rules:
  - name: none
    match: {any: [{resources: {kinds: [Lease], namespaces: [${namespace}]}}]}
    validate: {failureAction: Enforce, message: "no leases here", deny: {}}
`;
const lease = `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: held, namespace: ${namespace}}
`;

/** A ClusterPolicy about ConfigMaps, and a Policy about every kind that counts how often it changes one. */
const countingPolicies = [
  `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${namespace}-labels}
spec:
  background: false
  rules:
  - name: label
    match: {any: [{resources: {kinds: [ConfigMap], namespaces: [${namespace}]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {seen: "yes"}}}}
`,
  `
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: counts, namespace: ${namespace}}
spec:
  background: false
  rules:
  - name: count
    match: {any: [{resources: {kinds: ["*"], operations: [CREATE], names: ["counted-*"]}}]}
    mutate:
      patchesJson6902: |-
        - {op: replace, path: /data/count, value: "{{ to_string(sum([to_number(request.object.data.count), \`1\`])) }}"}
`,
];

/** Refuses the ConfigMaps of a team. */
const celPolicy = (name: string) => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  validationActions: [Deny]
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.metadata.labels.team != '${name}'", message: "${name} says no"}]
`;

/** Calls the API server without the time that kubectl takes. */
async function liveCluster(kubeconfig: string): Promise<LiveCluster> {
  const text = await Deno.readTextFile(kubeconfig);
  const folder = dirname(kubeconfig);
  const endpoint = await kubeconfigEndpoint({ text, folder, readText: Deno.readTextFile });
  assert.ok(!isFault(endpoint));
  const cluster = LiveCluster.connect(endpoint, { clock: systemClock(), entropy: systemEntropy() });
  assert.ok(!isFault(cluster));
  return cluster;
}

Deno.test({
  name:
    "a stored policy comes into force, is refused when it cannot work, and its webhooks are deleted with it",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const run = (args: string[], input?: string) => kubectl(kubeconfig, args, input);
    const apply = (text: string) => run(["apply", "-f", "-"], text);
    const items = { apiVersion: "v1", kind: "List", items: definitions() };
    const defined = await run(
      ["apply", "--server-side", "--force-conflicts", "-f", "-"],
      JSON.stringify(items),
    );
    assert.equal(defined.code, 0, defined.err);
    await eventually(async () =>
      assert.equal(
        (await run(["wait", "--for=condition=Established", "--timeout=5s", "crd", "--all"])).code,
        0,
      )
    );
    for (const name of [namespace, installation]) await run(["create", "namespace", name]);
    const services = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "postern", namespace: installation },
      spec: { type: "ExternalName", externalName: "127.0.0.1" },
    };
    await apply(JSON.stringify(services));
    const postern = await startPostern([
      ...["--kubeconfig", kubeconfig, "--watch-policies", "--service", `${installation}/postern`],
      ...["--dialect", "current", "--service-port", "PORT"],
    ]);
    try {
      await t.step("the policy is ready in its status, and denies", async () => {
        // The webhook about policies reaches the API server a moment after it is written.
        await eventually(async () => assert.equal((await apply(policy)).code, 0));
        await eventually(async () => {
          const { out } = await run([
            "get",
            "clusterpolicy",
            namespace,
            "-o",
            "jsonpath={.status.conditions[0].reason}",
          ]);
          assert.equal(out, "Succeeded");
        });
        // An object that was stored before the API server loaded the webhook may stay as it is: each try creates
        // another object.
        await eventually(async () => {
          const { code, err } = await apply(configMap(`bad-${crypto.randomUUID()}`, "a: b"));
          assert.notEqual(code, 0);
          assert.match(err, /a ConfigMap needs a team/);
        });
        assert.equal((await apply(configMap("good", "team: red"))).code, 0);
      });
      await t.step("the scan reports the policy's results", () =>
        eventually(async () => {
          const { out } = await run([
            ...["get", "policyreports", "-n", namespace, "-o"],
            "jsonpath={range .items[*]}{.scope.name}={.summary.pass}/{.summary.fail} {end}",
          ]);
          assert.match(out, /good=1\/0/);
        }));
      await t.step("Postern restores webhooks that somebody changed", async () => {
        await run(["patch", webhooks, "--type=json", "-p", '[{"op":"remove","path":"/webhooks"}]']);
        await eventually(async () => {
          const { out } = await run(["get", webhooks, "-o", "jsonpath={.webhooks[*].name}"]);
          assert.match(out, /validate\.postern\.svc-fail/);
        });
      });
      await t.step("the policy review refuses a policy that cannot work", async () => {
        const { code, err } = await apply(
          policy.replace("background: true", "admission: false\n  background: false"),
        );
        assert.notEqual(code, 0);
        assert.match(err, /disabling both admission and background/);
      });
      await t.step(
        "a policy for a new kind is enforced once its status is ready",
        async () => {
          assert.equal((await apply(leasePolicy)).code, 0);
          await eventually(async () => {
            const { out } = await run([
              ...["get", "clusterpolicy", `${namespace}-leases`, "-o"],
              "jsonpath={.status.conditions[0].status}",
            ]);
            assert.equal(out, "True");
          });
          // The very next request, not some later one.
          const { code, err } = await apply(lease);
          assert.notEqual(code, 0);
          assert.match(err, /no leases here/);
          await run(["delete", "clusterpolicy", `${namespace}-leases`]);
        },
      );
      await t.step(
        "a policy that changes all the time puts off neither another policy nor its status",
        async () => {
          const api = await liveCluster(kubeconfig);
          const name = `${namespace}-changing`, path = "/apis/kyverno.io/v1/clusterpolicies";
          const changing = leasePolicy.replace(`${namespace}-leases`, name).replace(
            "[Lease]",
            "[LimitRange]",
          );
          assert.equal((await apply(changing)).code, 0);
          let changes = 0, goesOn = true;
          const writing = (async () => {
            while (goesOn) {
              const body = { spec: { schemaValidation: changes++ % 2 === 0 } };
              const contentType = "application/merge-patch+json";
              await api.call({ method: "PATCH", path: `${path}/${name}`, body, contentType });
              await pause(10);
            }
          })();
          try {
            assert.equal((await apply(leasePolicy)).code, 0);
            await eventually(async () => {
              const { code, err } = await apply(lease);
              assert.notEqual(code, 0);
              assert.match(err, /no leases here/);
            });
            await eventually(async () => {
              const { out } = await run([
                ...["get", "clusterpolicy", `${namespace}-leases`, "-o"],
                "jsonpath={.status.conditions[0].status}",
              ]);
              assert.equal(out, "True");
            });
            // On a busy machine a change takes a tenth of a second.
            assert.ok(changes > 5, `${changes} changes`);
          } finally {
            goesOn = false;
            await writing;
            api.close();
            await run(["delete", "clusterpolicy", `${namespace}-leases`, name]);
          }
        },
      );
      await t.step("a Policy changes an object once where a ClusterPolicy is about it, too", async () => {
        for (const text of countingPolicies) assert.equal((await apply(text)).code, 0);
        await eventually(async () => {
          const name = `counted-${crypto.randomUUID()}`;
          assert.equal((await apply(`${configMap(name, "team: red")}data: {count: "0"}\n`)).code, 0);
          const found = await run([
            "-n",
            namespace,
            "get",
            "configmap",
            name,
            "-o",
            "jsonpath={.data.count}",
          ]);
          assert.equal(found.out, "1");
        });
        await run(["delete", "clusterpolicy", `${namespace}-labels`]);
        await run(["-n", namespace, "delete", "policy", "counts"]);
      });
      await t.step("two CEL policies share one webhook", async () => {
        const names = ["cel-a", "cel-b"].map((name) => `${namespace}-${name}`);
        for (const name of names) {
          await eventually(async () => assert.equal((await apply(celPolicy(name))).code, 0));
        }
        for (const name of names) {
          await eventually(async () => {
            const { code, err } = await apply(configMap(`c-${crypto.randomUUID()}`, `team: ${name}`));
            assert.notEqual(code, 0);
            assert.match(err, new RegExp(`${name} says no`));
          });
        }
        await run(["delete", "validatingpolicies.policies.kyverno.io", ...names]);
      });
      await t.step("the API server no longer calls the webhook of a deleted policy", async () => {
        await run(["delete", "clusterpolicy", namespace]);
        await eventually(async () => {
          const { out } = await run(["get", webhooks, "-o", "jsonpath={.webhooks[*].name}"]);
          assert.equal(out, "");
        });
        assert.equal((await apply(configMap("bad", "a: b"))).code, 0);
      });
      await t.step("unblock deletes the webhooks, and a running replica writes them again", async () => {
        const call = async (...rest: string[]) => {
          const command = new Deno.Command(Deno.execPath(), {
            args: ["run", "-A", "--no-check", "main.ts", "unblock", "--kubeconfig", kubeconfig, ...rest],
            cwd: new URL("../..", import.meta.url).pathname,
          });
          const { code, stdout } = await command.output();
          return { code, out: new TextDecoder().decode(stdout) };
        };
        const name = `postern-policy-validating-webhook-cfg`;
        const shown = await call("--service", `${installation}/postern`, "--dry-run");
        assert.match(shown.out, new RegExp(`${name} would be removed`));
        const { code, out } = await call("--service", `${installation}/postern`);
        assert.equal(code, 0);
        assert.match(out, new RegExp(`${name} removed`));
        await eventually(async () => {
          const present = await run(["get", "validatingwebhookconfiguration", name, "-o", "name"]);
          assert.equal(present.code, 0);
        });
      });
    } finally {
      await run(["delete", "clusterpolicy", namespace, "--ignore-not-found"]);
      const { out } = await run([
        "get",
        "validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "-o",
        "name",
      ]);
      const ofPostern = out.split("\n").filter((name) => name.includes("/postern-"));
      if (ofPostern.length > 0) await run(["delete", ...ofPostern]);
      await run(["delete", "namespace", namespace, installation, "--wait=false"]);
      await postern.stop();
    }
  },
});
