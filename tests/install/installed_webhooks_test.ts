/** The webhooks that call an installation, found and removed. */
import assert from "node:assert/strict";
import { installedWebhooks, removeInstalledWebhooks } from "../../lib/install/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Cluster } from "../../lib/ports.ts";

const service = { namespace: "gate", name: "postern" };

function configuration(
  name: string,
  services: readonly (readonly [namespace: string, name: string])[],
): Json {
  return {
    metadata: { name },
    webhooks: services.map(([namespace, name]) => ({ clientConfig: { service: { namespace, name } } })),
  };
}

const validating: readonly Json[] = [
  configuration("ours", [["gate", "postern"], ["gate", "postern"]]),
  configuration("shared", [["gate", "postern"], ["gate", "other"]]),
  configuration("other-namespace", [["default", "postern"]]),
  configuration("empty", []),
  { metadata: { name: "by-url" }, webhooks: [{ clientConfig: { url: "https://gate/postern" } }] },
];

/** A cluster with webhook configurations; it answers deletions with a status for each name. */
function cluster(deletions: Readonly<Record<string, number>>): Cluster & { readonly deleted: string[] } {
  const deleted: string[] = [];
  return {
    deleted,
    call: ({ method, path }: ApiCall): Promise<Answer> => {
      const last = path.split("/").at(-1)!;
      if (method === "GET") {
        const items = last === "validatingwebhookconfigurations"
          ? validating
          : [configuration("mutating", [["gate", "postern"]])];
        return Promise.resolve({ ok: true, status: 200, body: { items: [...items] } });
      }
      deleted.push(last);
      const status = deletions[last] ?? 200;
      return Promise.resolve(
        status === 200 ? { ok: true, status, body: {} } : { ok: false, status, message: `status ${status}` },
      );
    },
    resource: () => Promise.resolve(undefined),
  };
}

Deno.test("Postern finds its webhooks: configurations that call nothing but its Service", async () => {
  const found = await installedWebhooks(cluster({}), service);
  assert.ok(!isFault(found));
  assert.deepEqual(found.map(({ kind, name }) => [kind, name]), [
    ["ValidatingWebhookConfiguration", "ours"],
    ["MutatingWebhookConfiguration", "mutating"],
  ]);
});

Deno.test("Postern removes its webhooks, also when others remove them first, and names those that stay", async () => {
  const faster = cluster({ ours: 404 });
  assert.deepEqual((await removeInstalledWebhooks(faster, service)).problems, []);
  assert.deepEqual(faster.deleted, ["ours", "mutating"]);
  const { removed, problems } = await removeInstalledWebhooks(cluster({ mutating: 403 }), service);
  assert.deepEqual(removed.map(({ name }) => name), ["ours"]);
  assert.deepEqual(problems, ["MutatingWebhookConfiguration mutating: status 403"]);
});

Deno.test("Postern reports a problem when the API server does not list its webhooks", async () => {
  const refusing: Cluster = {
    call: () => Promise.resolve({ ok: false, status: 403, message: "forbidden" }),
    resource: () => Promise.resolve(undefined),
  };
  assert.deepEqual(await removeInstalledWebhooks(refusing, service), {
    removed: [],
    problems: ["forbidden"],
  });
});
