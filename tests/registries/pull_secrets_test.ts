/** Pull secrets give the logins of registries. */
import assert from "node:assert/strict";
import { pullSecretLogins } from "../../lib/registries/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { fixedClock } from "../adapters/fakes.ts";

Deno.test("pull secrets: the first with a login for the registry is used", async () => {
  const secret = (auths: Json) => ({
    kind: "Secret",
    data: { ".dockerconfigjson": btoa(JSON.stringify({ auths })) },
  });
  const secrets: { [path: string]: Json } = {
    one: secret({ "https://index.docker.io/v1/": { auth: btoa("hub:p:w") } }),
    two: secret({ "ghcr.io": { username: "gh", password: "pw" }, "broken.io": { auth: "%" } }),
    three: { kind: "Secret", data: { ".dockerconfigjson": "%" } },
  };
  const cluster: Cluster = {
    call: ({ path }) => {
      const body = secrets[path.replace("/api/v1/namespaces/ns/secrets/", "")];
      return Promise.resolve(
        body === undefined
          ? { ok: false, status: 404, message: "not found" }
          : { ok: true, status: 200, body },
      );
    },
    resource: () => Promise.resolve(undefined),
  };
  const login = pullSecretLogins(cluster, "ns", fixedClock());
  const all = { secrets: ["gone", "three", "one", "two"] };
  assert.deepEqual(await login("index.docker.io", all), { username: "hub", password: "p:w" });
  assert.deepEqual(await login("ghcr.io", all), { username: "gh", password: "pw" });
  assert.equal(await login("broken.io", all), undefined);
  assert.equal(await login("ghcr.io", {}), undefined);
});

Deno.test("pull secrets: a secret of another namespace counts as absent", async () => {
  const paths: string[] = [];
  const cluster: Cluster = {
    call: ({ path }) => {
      paths.push(path);
      return Promise.resolve({ ok: false, status: 404, message: "not found" });
    },
    resource: () => Promise.resolve(undefined),
  };
  const login = pullSecretLogins(cluster, "ns", fixedClock());
  assert.equal(await login("ghcr.io", { secrets: ["other/one", "ns/two"] }), undefined);
  assert.deepEqual(paths, ["/api/v1/namespaces/ns/secrets/two"]);
});
