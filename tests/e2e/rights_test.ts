/** On a real API server: the rights that manifests give are enough for what expressions in CEL look up, and no more. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { asUser, clusterForTests, kubectl, type Started, startPostern } from "./kubectl.ts";

const cluster = clusterForTests();
const namespace = `postern-rights-${crypto.randomUUID().slice(0, 8)}`;

const policy = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: e2e-rights}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [services], operations: [CREATE]}
  variables:
  - {name: allowed, expression: 'resource.Get("v1", "configmaps", "${namespace}", "names").data'}
  validations:
  - {expression: object.metadata.name in variables.allowed, message: the name is not allowed}
`;

Deno.test({
  name: "a CEL policy reads its values with the rights of the manifests",
  ignore: cluster === undefined,
  async fn() {
    const { kubeconfig } = cluster!;
    const folder = await Deno.makeTempDir();
    const admin = async (args: readonly string[], input = ""): Promise<string> => {
      const { code, out, err } = await kubectl(kubeconfig, args, input);
      assert.equal(code, 0, err);
      return out;
    };
    await Deno.writeTextFile(join(folder, "policy.yaml"), policy);
    const manifests: string[] = [];
    const args = ["manifests", "--policies", folder, "--namespace", namespace];
    assert.equal(await run(args, { out: (line) => void manifests.push(line), err: () => {} }), 0);
    // Rights alone: the rest would be a deployment.
    const rights = manifests.join("\n").split(/^---$/m).filter((each) =>
      /^kind: (ServiceAccount|ClusterRole|ClusterRoleBinding)$/m.test(each)
    ).join("---").replaceAll("name: postern\n", `name: ${namespace}\n`);
    const account = `system:serviceaccount:${namespace}:${namespace}`;
    try {
      await admin(["create", "namespace", namespace]);
      await admin(["apply", "-f", "-"], rights);
      await admin(["-n", namespace, "create", "configmap", "names", "--from-literal=good=1"]);
      const can = async (...what: string[]): Promise<string> =>
        (await kubectl(kubeconfig, ["auth", "can-i", ...what, "-A", `--as=${account}`])).out.trim();
      assert.equal(await can("get", "configmap/names"), "yes");
      assert.equal(await can("list", "configmaps"), "no");
      assert.equal(await can("get", "secrets"), "no");
      const token = (await admin(["-n", namespace, "create", "token", namespace])).trim();
      const kubeconfigPath = join(folder, "kubeconfig");
      await Deno.writeTextFile(kubeconfigPath, asUser(await Deno.readTextFile(kubeconfig), token));
      const postern = await startPostern([
        "--policies",
        join(folder, "policy.yaml"),
        "--kubeconfig",
        kubeconfigPath,
      ]);
      try {
        assert.deepEqual(await Promise.all(["good", "bad"].map((name) => review(postern, name))), [
          true,
          false,
        ]);
      } finally {
        await postern.stop();
      }
    } finally {
      await kubectl(kubeconfig, ["delete", "clusterrole,clusterrolebinding", namespace]);
      await kubectl(kubeconfig, ["delete", "namespace", namespace, "--wait=false"]);
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Whether Postern allows a Service of a name. */
async function review({ url, caBundle }: Started, name: string): Promise<boolean> {
  using client = Deno.createHttpClient({ caCerts: [atob(caBundle)] });
  const object = { apiVersion: "v1", kind: "Service", metadata: { name, namespace } };
  const kind = { group: "", version: "v1", kind: "Service" };
  const resource = { group: "", version: "v1", resource: "services" };
  const request = { uid: name, operation: "CREATE", kind, resource, name, namespace, object, userInfo: {} };
  const response = await fetch(`${url}/validate/fail`, {
    method: "POST",
    client,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request }),
  });
  const answer: { response: { allowed: boolean } } = await response.json();
  return answer.response.allowed;
}
