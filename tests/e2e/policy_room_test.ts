/** Policies that do not fit into memory, on a real API server: refused at the door, and said where they are stored. */
import assert from "node:assert/strict";
import { definitions } from "../../lib/install/mod.ts";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import { eventually } from "./waiting.ts";

const cluster = clusterForTests();
const id = crypto.randomUUID().slice(0, 8);
const [flooded, other, installation] = ["flooded", "other", "postern"].map((name) => `${name}-${id}`);

/** A policy that weighs some thousand values: names of Secrets that are denied. */
function policy(name: string, namespace: string | undefined, names = 4_000): string {
  return JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: namespace === undefined ? "ClusterPolicy" : "Policy",
    metadata: { name: `${name}-${id}`, ...(namespace !== undefined && { namespace }) },
    spec: {
      background: false,
      rules: [{
        name: "r",
        match: {
          any: [{
            resources: { kinds: ["Secret"], names: Array.from({ length: names }, (_, n) => `n${n}`) },
          }],
        },
        validate: { failureAction: "Enforce", message: "no such Secret", deny: {} },
      }],
    },
  });
}

Deno.test({
  name: "a flood of policies in one namespace is refused by the review, and stored ones deny there alone",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const run = (args: string[], input?: string) => kubectl(kubeconfig, args, input);
    const create = (text: string) => run(["create", "-f", "-"], text);
    const secret = (namespace: string) =>
      run(["-n", namespace, "create", "secret", "generic", `s-${crypto.randomUUID()}`]);
    const items = { apiVersion: "v1", kind: "List", items: definitions() };
    await run(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(items));
    await run(["wait", "--for=condition=Established", "--timeout=20s", "crd", "--all"]);
    for (const name of [flooded!, other!, installation!]) await run(["create", "namespace", name]);
    const service = { spec: { type: "ExternalName", externalName: "127.0.0.1" } };
    const metadata = { name: "postern", namespace: installation! };
    await run(
      ["apply", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "Service", metadata, ...service }),
    );
    // Some 90,000 values fit into half of this heap, and a quarter of them are a namespace's.
    const start = () =>
      startPostern([
        ...["--kubeconfig", kubeconfig, "--watch-policies", "--service", `${installation}/postern`],
        ...["--dialect", "current", "--service-port", "PORT"],
      ], ["--v8-flags=--max-old-space-size=80"]);
    const unblock = () =>
      run([
        ...["delete", "validatingwebhookconfigurations,mutatingwebhookconfigurations"],
        ...["-l", "app.kubernetes.io/name=postern"],
      ]);
    let postern = await start();
    try {
      await t.step("policies of one namespace are refused when they use up its share", async () => {
        await eventually(async () => {
          const { out } = await run([
            ...[
              "get",
              "validatingwebhookconfiguration",
              "postern-policy-validating-webhook-cfg",
              "-o",
              "name",
            ],
          ]);
          assert.notEqual(out, "");
        });
        let refusal = "", stored = 0;
        for (; refusal === "" && stored < 30; stored++) {
          const { code, err } = await create(policy(`p${stored}`, flooded));
          if (code !== 0) refusal = err;
        }
        assert.match(
          refusal,
          /the policies of namespace flooded-\S+ would weigh \d+ values together and may weigh/,
        );
        assert.match(refusal, /delete or shorten some, or give Postern a larger memory limit/);
        assert.ok(stored > 3, `after ${stored}`);
      });
      await t.step(
        "other namespaces and the cluster have room, and a smaller version of a policy too",
        async () => {
          for (const text of [policy("p", other), policy("p", undefined)]) {
            const { code, err } = await create(text);
            assert.equal(code, 0, err);
          }
          const smaller = await run(["replace", "-f", "-"], policy("p0", flooded, 1_000));
          assert.equal(smaller.code, 0, smaller.err);
          assert.equal((await secret(flooded!)).code, 0);
        },
      );
      await t.step(
        "policies that were stored without Postern are left out, with the reason in their statuses",
        async () => {
          await postern.stop("SIGKILL");
          await unblock();
          for (let n = 30; n < 70; n++) assert.equal((await create(policy(`p${n}`, flooded))).code, 0);
          postern = await start();
          await eventually(async () => {
            const { out } = await run([
              ...["-n", flooded!, "get", "policies.kyverno.io", "-o"],
              'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[0].reason}{"\\n"}{end}',
            ]);
            const lines = out.split("\n");
            assert.ok(lines.filter((line) => line.endsWith(" TooManyPolicies")).length > 5, out);
            assert.ok(lines.includes(`p0-${id} Succeeded`), "the oldest is in force");
          });
          await eventually(async () => {
            const { code, err } = await secret(flooded!);
            assert.notEqual(code, 0);
            assert.match(err, /policies of namespace flooded-\S+ take too much memory and are left out/);
          });
          assert.equal((await secret(other!)).code, 0);
        },
      );
    } finally {
      await postern.stop();
      await unblock();
      await run(["delete", "clusterpolicy", `p-${id}`, "--ignore-not-found"]);
      await run(["delete", "namespace", flooded!, other!, installation!, "--wait=false"]);
    }
  },
});
