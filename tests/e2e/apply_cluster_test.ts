/** `apply --cluster` on a real API server: kinds by the policies, lists in pages, the kubeconfig of the environment. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterForTests, kubectl } from "./kubectl.ts";

const cluster = clusterForTests();
const namespace = `postern-e2e-${crypto.randomUUID().slice(0, 8)}`;
const root = join(import.meta.dirname!, "..", "..");

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: named}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [ConfigMap], namespaces: [${namespace}], names: ["item-*"]}}]}
    context:
    - name: settings
      configMap: {name: settings, namespace: ${namespace}}
    validate:
      failureAction: Audit
      message: "The owner is not {{ settings.data.owner }}."
      pattern: {data: {owner: "{{ settings.data.owner }}"}}
  - name: namespaces
    match: {any: [{resources: {kinds: [Namespace], names: [${namespace}]}}]}
    validate:
      failureAction: Audit
      message: No team.
      pattern: {metadata: {labels: {team: "?*"}}}
`;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function apply(folder: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "-A", join(root, "main.ts"), "apply", join(folder, "policy.yaml"), ...args],
    env,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test({
  name: "apply --cluster checks the objects of a real cluster, page by page",
  ignore: cluster === undefined,
  fn: async () => {
    const { kubeconfig } = cluster!;
    const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
    const maps = Array.from(
      { length: 25 },
      (_, index) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-${index}, namespace: ${namespace}}\ndata: {owner: ${
          index < 3 ? "somebody" : "me"
        }}\n`,
    );
    const settings =
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ${namespace}}\ndata: {owner: me}\n`;
    try {
      await Deno.writeTextFile(join(folder, "policy.yaml"), policy);
      await kubectl(kubeconfig, ["create", "namespace", namespace]);
      await kubectl(kubeconfig, ["apply", "-f", "-"], [...maps, settings].join("---\n"));
      const one = await apply(
        folder,
        { KUBECONFIG: kubeconfig },
        "--cluster",
        "-n",
        namespace,
        "--batch-size",
        "4",
      );
      assert.match(
        one.out,
        /policy named -> resource \S+\/ConfigMap\/item-0 failed:\n1 - owner .*The owner is not me/,
        one.err,
      );
      assert.match(one.out, /pass: 22, fail: 3, warn: 0, error: 0, skip: 0 \n$/);
      assert.equal(one.code, 1);
      const wide = await apply(
        folder,
        {},
        ...[
          "-c",
          "--kubeconfig",
          kubeconfig,
          "-n",
          namespace,
          "--cluster-wide-resources",
          "--concurrent",
          "3",
          "-o",
          "json=-",
        ],
      );
      const results = wide.out.trimEnd().split("\n").map((line) => JSON.parse(line));
      assert.equal(results.length, 26);
      assert.deepEqual(results.filter(({ rule }) => rule === "namespaces").map(({ result }) => result), [
        "fail",
      ]);
      const empty = await apply(folder, { KUBECONFIG: kubeconfig }, "--cluster", "-n", `${namespace}-no`);
      assert.match(empty.err, /nothing-checked/);
      assert.equal(empty.code, 1);
    } finally {
      await kubectl(kubeconfig, ["delete", "namespace", namespace, "--wait=false"]);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
