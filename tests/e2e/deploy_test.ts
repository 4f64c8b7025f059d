/**
 * deploy.yaml on a real API server: it takes every object, and replicas share a certificate whose authority is in the
 * webhooks.
 */
import assert from "node:assert/strict";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";

const cluster = clusterForTests();
const ignore = cluster === undefined;
const root = new URL("../../", import.meta.url).pathname;

Deno.test({
  name: "cluster: the API server accepts every object of the manifests",
  ignore,
  fn: async () => {
    // In a namespace that is there: nothing is really made, so no other could hold the objects.
    const args = ["run", "--allow-read", "--allow-env", "main.ts", "manifests", "--policies", "policies"];
    const made = await new Deno.Command("deno", { args: [...args, "--namespace", "default"], cwd: root })
      .output();
    assert.equal(made.code, 0, new TextDecoder().decode(made.stderr));
    const text = new TextDecoder().decode(made.stdout);
    const applied = await kubectl(cluster!.kubeconfig, ["apply", "--dry-run=server", "-f", "-"], text);
    assert.equal(applied.code, 0, applied.err);
    const objects = text.split("\n---\n").length - 1;
    assert.equal(applied.out.trim().split("\n").length, objects);
    assert.doesNotMatch(applied.err, /unknown field/);
  },
});

Deno.test({
  name: "cluster: replicas share the certificate in a Secret and write its authority into the webhooks",
  ignore,
  fn: async () => {
    const name = `postern-e2e-${crypto.randomUUID().slice(0, 8)}`;
    const run = (args: readonly string[], input?: string) => kubectl(cluster!.kubeconfig, args, input);
    const objects = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "tls", namespace: name }, type: "Opaque" },
      ...["Validating", "Mutating"].map((kind) => ({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: `${kind}WebhookConfiguration`,
        metadata: { name },
        webhooks: [{
          name: "a.postern.svc",
          clientConfig: { service: { namespace: name, name: "postern", path: "/validate/fail" } },
          failurePolicy: "Ignore",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [{
            apiGroups: ["example.com"],
            apiVersions: ["v1"],
            resources: ["none"],
            operations: ["CREATE"],
          }],
        }],
      })),
    ];
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    const applied = await run(["apply", "-f", "-"], text);
    assert.equal(applied.code, 0, applied.err);
    const args = [
      "--kubeconfig",
      cluster!.kubeconfig,
      "--policies",
      "policies",
      "--service",
      `${name}/postern`,
      "--certificate-secret",
      `${name}/tls`,
      "--webhooks",
      name,
    ];
    const replicas = await Promise.all([startPostern(args), startPostern(args)]);
    try {
      assert.notEqual(replicas[0]!.caBundle, "");
      assert.equal(replicas[0]!.caBundle, replicas[1]!.caBundle);
      for (const kind of ["validating", "mutating"]) {
        const path = "jsonpath={.webhooks[*].clientConfig.caBundle}";
        const webhook = await run(["get", `${kind}webhookconfiguration`, name, "-o", path]);
        assert.equal(webhook.out, replicas[0]!.caBundle);
      }
      using client = Deno.createHttpClient({ caCerts: [atob(replicas[1]!.caBundle)] });
      const health = await fetch(`${replicas[0]!.url}/health/readiness`, { client });
      assert.equal(await health.text(), "ok");
      // Applied again, the manifest leaves what Postern wrote.
      const again = await run(["apply", "-f", "-"], text);
      assert.equal(again.code, 0, again.err);
      const kept = await run(["get", "secret", "tls", "-n", name, "-o", "jsonpath={.data.tls\\.crt}"]);
      assert.notEqual(kept.out, "");
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()));
      const kinds = ["validatingwebhookconfiguration", "mutatingwebhookconfiguration", "namespace"];
      for (const kind of kinds) await run(["delete", kind, name, "--wait=false"]);
    }
  },
});
