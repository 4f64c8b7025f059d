/** Policies from addresses: each kind reads its addresses, and what cannot be read is a diagnostic. */
import assert from "node:assert/strict";
import { loadDocuments } from "../../lib/sources/mod.ts";

const policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: { name: remote }\n";

async function serving(use: (address: string) => Promise<void>): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/policy.yaml") return new Response(policy);
    return new Response("not here", { status: 404 });
  });
  try {
    await use(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("a file is read from its address, with the address as its name", () =>
  serving(async (address) => {
    const { documents, diagnostics, files } = await loadDocuments([`${address}/policy.yaml?version=1`]);
    assert.deepEqual(diagnostics, []);
    assert.equal(documents.length, 1);
    assert.deepEqual(files, [{ file: `${address}/policy.yaml?version=1`, text: policy }]);
  }));

Deno.test("an address that nobody serves is named with the reason", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const { diagnostics } = await loadDocuments([`http://127.0.0.1:${port}/policy.yaml`]);
  assert.match(diagnostics[0]!.message, /^cannot connect: .*refused/);
});

const unreadable: [what: string, path: string, message: RegExp][] = [
  ["a file that does not exist", "/none.yaml", /^the server answered 404/],
  ["no git repository", "/owner/repository", /git clone failed|git cannot be run/],
];
for (const [what, path, message] of unreadable) {
  Deno.test(`an unreadable address is a diagnostic, and other paths are read: ${what}`, () =>
    serving(async (address) => {
      const { documents, diagnostics } = await loadDocuments([
        `${address}${path}`,
        `${address}/policy.yaml`,
      ]);
      assert.equal(documents.length, 1);
      assert.deepEqual(diagnostics.map(({ code, position }) => [code, position?.file]), [
        ["unreadable-address", `${address}${path}`],
      ]);
      assert.match(diagnostics[0]!.message, message);
    }));
}
