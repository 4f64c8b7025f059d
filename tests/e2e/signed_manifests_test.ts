/**
 * Signed YAML on a real API server: what it fills in differs from the manifest, unless a dry run says that it would.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../lib/json/mod.ts";
import { newKeys, signed } from "../registries/signing/certificates.ts";
import { clusterForTests, kubectl, startPostern } from "./kubectl.ts";
import { until } from "./waiting.ts";
import { webhookConfiguration } from "./webhook_configuration.ts";

const cluster = clusterForTests();
const namespace = `postern-manifests-${crypto.randomUUID().slice(0, 8)}`;
const webhook = `${namespace}-webhook`;
const keys = newKeys();

Deno.test({
  name: "a signed Deployment equals its manifest, with the API server's defaults",
  ignore: cluster === undefined,
  async fn(t) {
    const run = (args: string[], input?: string) => kubectl(cluster!.kubeconfig, args, input);
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(join(folder, "policies.yaml"), policies());
    await run(["create", "namespace", namespace]);
    const postern = await startPostern(["--policies", folder, "--kubeconfig", cluster!.kubeconfig]);
    try {
      const applied = await run(["apply", "-f", "-"], configuration(postern));
      assert.equal(applied.code, 0, applied.err);
      const create = async (labels: JsonObject, change: JsonObject = {}) =>
        await run(["create", "-f", "-"], JSON.stringify(deployment(labels, change)));
      await until(async () => (await create({ check: "plain" })).err.includes("denied"));
      await t.step("without a dry run the Deployment differs from its manifest", async () => {
        const { code, err } = await create({ check: "plain" });
        assert.notEqual(code, 0);
        assert.match(err, /diff found; .*imagePullPolicy/);
      });
      await t.step("with a dry run the Deployment is admitted, also when it is applied again", async () => {
        const made = await create({ check: "dry-run" });
        assert.equal(made.code, 0, made.err);
        const again = await run(["apply", "-f", "-"], JSON.stringify(deployment({ check: "dry-run" })));
        assert.equal(again.code, 0, again.err);
      });
      await t.step("an unsigned Deployment is denied", async () => {
        const { code, err } = await create({ check: "dry-run" }, { replicas: 7 });
        assert.notEqual(code, 0);
        assert.match(err, /diff found; .*spec\.replicas/);
      });
      await t.step("the dry run stored nothing", async () => {
        const { out } = await run(["get", "deployments", "-n", namespace, "-o", "name"]);
        assert.deepEqual(out.trim().split("\n"), ["deployment.apps/web-dry-run-check"]);
      });
    } finally {
      await run(["delete", "validatingwebhookconfiguration", webhook, "--ignore-not-found"]);
      await run(["delete", "namespace", namespace, "--wait=false"]);
      await postern.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** A Deployment whose manifest was signed without what `change` says. */
function deployment(labels: JsonObject, change: JsonObject = {}): JsonObject {
  const name = `web-${labels["check"]}-check`;
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "r.io/web:v1" }] },
  };
  const spec = { replicas: 0, selector: { matchLabels: { app: "web" } }, template };
  const manifest = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace, labels }, spec };
  const text = new TextEncoder().encode(JSON.stringify(manifest));
  const annotations = {
    "cosign.sigstore.dev/message": gzipSync(text).toString("base64"),
    "cosign.sigstore.dev/signature": signed(keys, text).toBase64(),
  };
  return { ...manifest, metadata: { ...manifest.metadata, annotations }, spec: { ...spec, ...change } };
}

function policies(): string {
  const attestor = {
    keys: { publicKeys: keys.pem, rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } },
  };
  return ["plain", "dry-run"].map((check) =>
    JSON.stringify({
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name: check },
      spec: {
        background: false,
        rules: [{
          name: "signed",
          match: {
            any: [{ resources: { kinds: ["Deployment"], selector: { matchLabels: { check } } } }],
          },
          validate: {
            failureAction: "Enforce",
            manifests: {
              attestors: [{ entries: [attestor] }],
              ...(check === "dry-run" && { dryRun: { enable: true } }),
            },
          },
        }],
      },
    })
  ).join("\n---\n");
}

function configuration(postern: { readonly url: string; readonly caBundle: string }): string {
  return webhookConfiguration({ kind: "Validating", name: webhook }, postern, [{
    name: "manifests.postern.test",
    path: "/validate/fail",
    namespace,
    apiGroup: "apps",
    resources: ["deployments"],
    operations: ["CREATE", "UPDATE"],
  }]);
}
