/** `trust update`, against the corpus' TUF repository where that is. */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { toYaml } from "../../lib/yaml/mod.ts";
import { trustedRootOf } from "../registries/signing/bundle.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { imagePolicy, signingWays } from "../bench/signed_images.ts";
import { heard } from "./golden.ts";
import { inFolder } from "./in_folder.ts";

const corpus = resolve(Deno.env.get("CONFORMANCE_CORPUS") ?? "../shared/corpus", "verify-images");

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test("trust update: another mirror needs its TUF root", async () => {
  const { terminal, err } = heard();
  assert.equal(await run(["trust", "update", "--mirror", "http://127.0.0.1/tuf"], terminal), 2);
  assert.match(err(), /the mirror http:\/\/127\.0\.0\.1\/tuf needs a file with its TUF root/);
});

Deno.test({
  name: "trust update fetches a repository that its root proves, and refuses another",
  ignore: !exists(join(corpus, "tuf/root.json")),
  async fn() {
    const folder = await Deno.makeTempDir();
    let changed = "";
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      const { pathname } = new URL(request.url);
      try {
        const text = await Deno.readTextFile(join(corpus, pathname.replaceAll("..", "")));
        return new Response(
          pathname.includes(changed) && changed !== "" ? text.replace("2056", "2057") : text,
        );
      } catch {
        return new Response("", { status: 404 });
      }
    });
    try {
      const out = join(folder, "trusted-root.json");
      const update = ["trust", "update", "--root", join(corpus, "tuf/root.json"), "--out", out];
      const args = [...update, "--mirror", `http://127.0.0.1:${server.addr.port}/tuf`];
      const { terminal, err } = heard();
      assert.equal(await run(args, terminal), 0, err());
      const fetched = JSON.parse(await Deno.readTextFile(out));
      assert.deepEqual(fetched, JSON.parse(await Deno.readTextFile(join(corpus, "trusted-root.json"))));
      changed = "timestamp.json";
      const second = heard();
      assert.equal(await run(args, second.terminal), 2);
      assert.match(second.err(), /cannot fetch the trusted root from http:/);
      assert.deepEqual(JSON.parse(await Deno.readTextFile(out)), fetched);
    } finally {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("apply verifies bundles with the given trusted root", async () => {
  const registry = new TestRegistry(), signers = new Signers();
  const way = signingWays(registry, signers).find(({ name }) => name === "bundle")!;
  way.put("bundle/app:v1");
  const files = {
    "policy.yaml": toYaml(imagePolicy([way])),
    "pod.yaml": toYaml({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { containers: [{ name: "c", image: `${registry.host}/bundle/app:v1` }] },
    }),
    "root.json": trustedRootOf(signers),
  };
  try {
    await inFolder(files, async (run) => {
      const args = ["apply", "@policy.yaml", "-r", "@pod.yaml"];
      const trusted = await run(...args, "--trusted-root", "@root.json");
      assert.equal(trusted.code, 0, trusted.out + trusted.err);
      const other = await run(...args);
      assert.equal(other.code, 1);
      assert.match(other.out, /sigstore bundle verification failed: no matching signatures found/);
      assert.equal((await run(...args, "--trusted-root", "@pod.yaml")).code, 2);
    });
  } finally {
    await registry.close();
  }
});
