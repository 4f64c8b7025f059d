/** `apply` with GlobalContextEntries and addresses among its resources. */
import assert from "node:assert/strict";
import { inFolder } from "../cli/in_folder.ts";

const files = {
  "policy.yaml": `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: teams }
spec:
  rules:
    - name: team
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context: [{ name: teams, globalReference: { name: teams } }]
      validate:
        message: "{{ teams[].metadata.name | join(' ', @) }}"
        deny: { conditions: { all: [{ key: "{{ length(teams) }}", operator: Equals, value: 1 }] } }
`,
  "objects.yaml": `
apiVersion: v1
kind: Pod
metadata: { name: web }
---
apiVersion: kyverno.io/v2
kind: GlobalContextEntry
metadata: { name: teams }
spec: { kubernetesResource: { group: "", version: v1, resource: configmaps, namespace: shop } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: one, namespace: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: two, namespace: bank }
`,
};

Deno.test("GlobalContextEntries among the objects give the global context", () =>
  inFolder(files, async (run) => {
    const { out, code } = await run("apply", "@policy.yaml", "-r", "@objects.yaml");
    assert.match(out, /^\nApplying 3 policy rule\(s\) to 3 resource\(s\)\.\.\.\n/);
    assert.match(out, /policy teams -> resource default\/Pod\/web failed:\n1 - team one\n/);
    assert.equal(code, 1);
  }));

Deno.test("resources are read from an address, and one that cannot be read is named", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      new URL(request.url).pathname === "/objects.yaml"
        ? new Response(files["objects.yaml"])
        : new Response("", { status: 404 }),
  );
  const address = `http://127.0.0.1:${server.addr.port}`;
  await inFolder(files, async (run) => {
    const { out } = await run("apply", "@policy.yaml", "-r", `${address}/objects.yaml`);
    assert.match(out, /to 3 resource\(s\)/);
    assert.match(out, /1 - team one\n/);
    const missing = await run("apply", "@policy.yaml", "-r", `${address}/none.yaml`);
    assert.match(missing.err, /\/none\.yaml:1:1: error unreadable-address: the server answered 404/);
    assert.equal(missing.code, 1);
    const other = await run("apply", "@policy.yaml", "-r", "ftp://127.0.0.1/pod.yaml");
    assert.match(other.err, /from files and from addresses with http; download it first/);
    assert.equal(other.code, 2);
  });
});
