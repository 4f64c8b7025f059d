/**
 * On a real API server: Postern follows policies with the rights of its manifests, and says which ones policies lack.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { definitions } from "../../lib/install/mod.ts";
import { asUser, clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import { eventually } from "./waiting.ts";

const cluster = clusterForTests();
const id = crypto.randomUUID().slice(0, 8);
const installation = `live-rights-${id}`;
const namespace = `${installation}-team`;

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${namespace}, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap], namespaces: [${namespace}]}}]}
    validate: {failureAction: Enforce, message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
  - name: leases
    match: {any: [{resources: {kinds: [Lease], namespaces: [${namespace}]}}]}
    validate: {failureAction: Audit, message: "a holder is needed", pattern: {spec: {holderIdentity: "?*"}}}
`;

Deno.test({
  name: "with the rights of its manifests Postern enforces policies, and names the rights that they lack",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const folder = await Deno.makeTempDir();
    const call = (args: readonly string[], input?: string) => kubectl(kubeconfig, args, input);
    const admin = async (args: readonly string[], input?: string): Promise<string> => {
      const { code, out, err } = await call(args, input);
      assert.equal(code, 0, err);
      return out;
    };
    const items = { apiVersion: "v1", kind: "List", items: definitions() };
    await admin(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(items));
    const manifests: string[] = [];
    const args = ["manifests", "--watch-policies", "--namespace", installation, "--secret-path", "none"];
    assert.equal(await run(args, { out: (line) => void manifests.push(line), err: () => {} }), 0);
    // All but what runs pods; roles of the whole cluster get names that no other test has.
    const applied = manifests.join("\n").split(/^---$/m)
      .filter((each) => !/^kind: (Service|Deployment|PodDisruptionBudget)$/m.test(each))
      .map((each) =>
        /^kind: ClusterRole/m.test(each)
          ? each.replaceAll(/name: postern(-policies)?$/gm, `name: ${id}$1`)
          : each
      )
      .map((each) => each.replace(`name: ${id}\n  namespace`, "name: postern\n  namespace"))
      .join("---");
    const service = `apiVersion: v1
kind: Service
metadata: {name: postern, namespace: ${installation}}
spec: {type: ExternalName, externalName: 127.0.0.1}
`;
    const message = async (): Promise<string> =>
      (await call(["get", "clusterpolicy", namespace, "-o", "jsonpath={.status.conditions[0].message}"])).out;
    await admin(["create", "namespace", namespace]);
    try {
      await admin(["apply", "-f", "-"], `${applied}\n---\n${service}`);
      const token = (await admin(["-n", installation, "create", "token", "postern"])).trim();
      const kubeconfigPath = join(folder, "kubeconfig");
      await Deno.writeTextFile(kubeconfigPath, asUser(await Deno.readTextFile(kubeconfig), token));
      const postern = await startPostern([
        ...["--kubeconfig", kubeconfigPath, "--watch-policies", "--service", `${installation}/postern`],
        ...["--dialect", "current", "--service-port", "PORT"],
      ]);
      try {
        await t.step("a policy comes into force, and the scan reports its results", async () => {
          await eventually(async () => assert.equal((await call(["apply", "-f", "-"], policy)).code, 0));
          await eventually(async () => {
            const name = `bad-${crypto.randomUUID()}`;
            const { code, err } = await call(["-n", namespace, "create", "configmap", name]);
            assert.notEqual(code, 0);
            assert.match(err, /a team is needed/);
          });
          await admin(["apply", "-f", "-"], configMap("good"));
          await eventually(async () => {
            const out = await admin([
              ...["get", "policyreports", "-n", namespace, "-o"],
              "jsonpath={range .items[*]}{.scope.name}={.summary.pass} {end}",
            ]);
            assert.match(out, /good=1/);
          });
        });
        await t.step(
          "the status has the missing rule, which suffices when it is added",
          async () => {
            let rule = "";
            await eventually(async () => {
              const text = await message();
              assert.match(text, /labelled rbac\.kyverno\.io\/aggregate-to-reports-controller: "true"/);
              rule = /- (\{.*\})$/.exec(text)?.[1] ?? "";
              assert.deepEqual(JSON.parse(rule), {
                apiGroups: ["coordination.k8s.io"],
                resources: ["leases"],
                verbs: ["get", "list", "watch"],
              });
            });
            assert.match(await admin(["get", "clusterpolicy", namespace]), /rights are missing/);
            await admin(["apply", "-f", "-"], role(rule));
            // A right that is missing is asked about again after ten seconds.
            for (let tries = 0; tries < 3 && await message() !== "Ready"; tries++) {
              await eventually(async () => assert.equal(await message(), "Ready")).catch(() => {});
            }
            assert.equal(await message(), "Ready");
          },
        );
      } finally {
        await postern.stop();
      }
    } finally {
      await call(["delete", "clusterpolicy", namespace]);
      await call(["delete", "clusterrole,clusterrolebinding", id, `${id}-policies`, `${id}-leases`]);
      await call(["delete", "validatingwebhookconfiguration", "-l", "app.kubernetes.io/name=postern"]);
      await call(["delete", "mutatingwebhookconfiguration", "-l", "app.kubernetes.io/name=postern"]);
      await call(["delete", "namespace", installation, namespace, "--wait=false"]);
      await Deno.remove(folder, { recursive: true });
    }
  },
});

function configMap(name: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: ${namespace}, labels: {team: a}}
`;
}

function role(rule: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${id}-leases, labels: {rbac.kyverno.io/aggregate-to-reports-controller: "true"}}
rules: [${rule}]
`;
}
