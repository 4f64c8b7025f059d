/** Whoever answers for a registry gets the login of that registry at most, and keeps no memory of Postern filled. */
import assert from "node:assert/strict";
import { ImageSignatures, type Login } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import type { SignatureAnswer } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { type FakeServer, fakeServer, type ReceivedRequest } from "../adapters/fake_server.ts";
import { newKeys } from "../registries/signing/certificates.ts";
import { queryByKey } from "../registries/signing/query.ts";
import { TestRegistry } from "../registries/signing/registry.ts";

const puller: Login = { username: "puller", password: "secret" };

interface Trial {
  readonly registry: TestRegistry;
  /** A server that the registry's answers lead to. */
  readonly other: FakeServer;
  verify(name: string): Promise<SignatureAnswer>;
}

/** Postern has a login for the registry, and for no other host. */
async function tried(
  answer: (received: ReceivedRequest, address: string) => Response,
  run: (trial: Trial) => Promise<void>,
): Promise<void> {
  const registry = new TestRegistry();
  const other: FakeServer = fakeServer((received) => answer(received, other.address));
  const signatures = new ImageSignatures({
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    attempts: 1,
    login: (host) => Promise.resolve(host === registry.host ? puller : undefined),
  });
  const key = newKeys().pem;
  try {
    await run({
      registry,
      other,
      verify: (name) => signatures.verify(queryByKey(`${registry.host}/${name}`, key)),
    });
  } finally {
    await signatures.close();
    await registry.close();
    await other.close();
  }
}

function refused(answer: SignatureAnswer, why: RegExp): void {
  assert.ok(!answer.ok, "it was verified");
  assert.match(answer.message, why);
}

/** The `Authorization` headers that a server received. */
function authorizations({ received }: { readonly received: readonly ReceivedRequest[] }): string[] {
  return received.flatMap(({ headers }) => headers.get("authorization") ?? []);
}

/** The challenges of a host to which the registry redirects. */
const challenges: readonly (readonly [what: string, challenge: (address: string) => string])[] = [
  ["for a name and a password", () => 'Basic realm="x"'],
  ["for a token of its own", (address) => `Bearer realm="${address}/token",service="x"`],
];
for (const [what, challenge] of challenges) {
  Deno.test(`a host that a registry redirects to gets no login, whatever it asks: ${what}`, () =>
    tried(
      (received, address) =>
        received.path.startsWith("/token")
          ? Response.json({ token: "t" })
          : new Response("", { status: 401, headers: { "www-authenticate": challenge(address) } }),
      async ({ registry, other, verify }) => {
        registry.intercept(() =>
          new Response(null, { status: 307, headers: { location: `${other.address}/v2/app/manifests/v1` } })
        );
        const answer = await verify("app:v1");
        assert.deepEqual([...authorizations(other), ...authorizations(registry)], []);
        assert.equal(other.received.length, 1);
        refused(
          answer,
          new RegExp(
            `UNAUTHORIZED: the registry redirects to ${new URL(other.address).host}, which wants a login$`,
          ),
        );
      },
    ));
}

Deno.test("a token server that redirects passes no login on", () =>
  tried(() => Response.json({ token: "t" }), async ({ registry, other, verify }) => {
    registry.intercept(({ path }) =>
      path.startsWith("/token")
        ? new Response(null, { status: 307, headers: { location: `${other.address}/token` } })
        : new Response("", {
          status: 401,
          headers: { "www-authenticate": `Bearer realm="http://${registry.host}/token"` },
        })
    );
    refused(await verify("app:v1"), /UNAUTHORIZED|unexpected status code 401/);
    assert.deepEqual(authorizations(other), []);
    assert.deepEqual(other.received.map(({ path }) => path), ["/token"]);
  }));

/** Challenges that no registry sends. */
const oddities: readonly (readonly [what: string, header: string])[] = [
  ["of a megabyte's tenth", `Bearer realm="http://127.0.0.1:1/${"x".repeat(100_000)}"`],
  ["of eight thousand parameters", `Bearer ${"a=".repeat(4_000)}`],
  ["that names no URL", 'Bearer realm="token"'],
  ["of an unknown scheme", "Negotiate"],
  ["without a scheme", ""],
];
for (const [what, header] of oddities) {
  Deno.test(`a challenge ${what} gets no login`, () =>
    tried(() => new Response(""), async ({ registry, verify }) => {
      registry.intercept(() => new Response("", { status: 401, headers: { "www-authenticate": header } }));
      refused(await verify("app:v1"), /unauthorized, and no way to authorize is offered$|header/);
      assert.deepEqual(authorizations(registry), []);
      assert.ok(registry.received.length <= 2, `${registry.received.length} requests`);
    }));
}

Deno.test("a token of megabytes is refused, and not kept", () =>
  tried(() => new Response(""), async ({ registry, verify }) => {
    registry.intercept(({ path }) =>
      path.startsWith("/token") ? Response.json({ token: "t".repeat(3_000_000) }) : new Response("", {
        status: 401,
        headers: { "www-authenticate": `Bearer realm="http://${registry.host}/token"` },
      })
    );
    refused(await verify("app:v1"), /\/token\S*: the token is longer than \d+ characters$/);
  }));

Deno.test("a token counts for the password that it was issued for", async () => {
  const registry = new TestRegistry();
  registry.image("app:v1");
  registry.intercept(({ path, headers }) => {
    const authorization = headers.get("authorization") ?? "";
    if (path.startsWith("/token")) {
      return authorization === `Basic ${btoa("puller:secret")}`
        ? Response.json({ token: "t" })
        : new Response("", { status: 401 });
    }
    if (authorization === "Bearer t") return undefined;
    const challenge = `Bearer realm="http://${registry.host}/token"`;
    return new Response("", { status: 401, headers: { "www-authenticate": challenge } });
  });
  let login = puller;
  const signatures = new ImageSignatures({
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    login: () => Promise.resolve(login),
  });
  const digest = () => signatures.digest(`${registry.host}/app:v1`, {});
  try {
    assert.ok((await digest()).ok);
    login = { ...puller, password: "wrong" };
    assert.ok(!(await digest()).ok);
  } finally {
    await signatures.close();
    await registry.close();
  }
});
