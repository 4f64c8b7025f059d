/** A registry lists what refers to an image: however it answers, Postern reads a few pages, and no other host's. */
import assert from "node:assert/strict";
import { ImageSignatures, registryAddresses } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import type { SignatureAnswer } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { newKeys } from "../registries/signing/certificates.ts";
import { envelope, putBundle } from "../registries/signing/cosign.ts";
import { queryByKey } from "../registries/signing/query.ts";
import { TestRegistry } from "../registries/signing/registry.ts";

const indexType = "application/vnd.oci.image.index.v1+json";
const keys = newKeys();

interface Trial {
  readonly registry: TestRegistry;
  /** Paths of requests for lists of referrers, the tag of the fallback among them. */
  lists(): readonly string[];
  verify(): Promise<SignatureAnswer>;
}

/** Verifies an image with a bundle whose list of referrers is answered otherwise. */
async function tried(list: (registry: TestRegistry) => Response, run: (trial: Trial) => Promise<void>) {
  const registry = new TestRegistry();
  const signatures = new ImageSignatures({
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    attempts: 1,
    allows: registryAddresses({ loopback: "allowed" }),
  });
  const digest = registry.image("bundle/app:v1");
  putBundle(registry, digest, envelope({ digest, type: "t", predicate: {} }, keys));
  try {
    registry.intercept(({ path }) => path.includes("/referrers/") ? list(registry) : undefined);
    await run({
      registry,
      lists: () =>
        registry.received.map(({ path }) => path).filter((path) => /\/referrers\/|\/sha256-/.test(path)),
      verify: () =>
        signatures.verify(queryByKey(`${registry.host}/bundle/app:v1`, keys.pem, { layout: "bundle" })),
    });
  } finally {
    await signatures.close();
    await registry.close();
  }
}

const listed = (body: string, headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { "content-type": indexType, ...headers } });

/** Lists that are none. */
const garbage: readonly (readonly [what: string, body: string, why: RegExp])[] = [
  ["no JSON", "<html>", /referrers\/sha256:\S+: the content is no JSON object$/],
  ["nothing", "", /referrers\/sha256:\S+: the content is no JSON object$/],
  ["no object", "[1]", /referrers\/sha256:\S+: the content is no JSON object$/],
  ["JSON that nests without end", `{"manifests":${"[".repeat(100_000)}`, /the content is no JSON object$/],
  ["an object without a list", "{}", /no matching signatures found$/],
  ["an object whose list is a map", '{"manifests":{"0":{}}}', /no matching signatures found$/],
  [
    "a list of what is no descriptor",
    `{"manifests":[${"null,".repeat(9_999)}7]}`,
    /no matching signatures found$/,
  ],
  [
    "more than a manifest may have",
    `{"manifests":[${"{},".repeat(2_000_000)}{}]}`,
    /longer than 4000000 bytes$/,
  ],
  [
    "much more than its text in memory",
    `{"manifests":[${"{},".repeat(900_000)}{}]}`,
    /takes too much memory$/,
  ],
];
for (const [what, body, why] of garbage) {
  Deno.test(`a list of referrers that is ${what} verifies nothing`, () =>
    tried(() => listed(body), async ({ verify, lists }) => {
      const answer = await verify();
      assert.match(answer.ok ? "verified" : answer.message, why);
      assert.equal(lists().length, 1);
    }));
}

/** Next pages that lead nowhere or elsewhere, and how many lists Postern then reads. */
const links: readonly (readonly [what: string, link: (registry: TestRegistry) => string, lists: number])[] = [
  ["itself", () => '<?n=1>; rel="next"', 5],
  ["another host", () => '<http://127.0.0.1:1/v2/bundle/app/referrers/x>; rel="next"', 5],
  ["metadata", () => '<http://169.254.169.254/latest>; rel="next"', 1],
  ["another repository", () => '</v2/other/referrers/sha256:1>; rel="next"', 1],
  ["a path above it", () => '</v2/bundle/app/referrers/../../../../token>; rel="next"', 1],
  ["no URL", () => '<http://[>; rel="next"', 1],
  ["a long way", () => `<${"x".repeat(8_000)}>; rel="next"`, 5],
];
for (const [what, link, count] of links) {
  Deno.test(`a list of referrers whose next page is ${what} is read from the registry itself, five pages at most`, () =>
    tried((registry) => listed('{"manifests":[]}', { link: link(registry) }), async ({ verify, lists }) => {
      const answer = await verify();
      assert.match(answer.ok ? "verified" : answer.message, /no matching signatures found$/);
      assert.equal(lists().length, count);
      assert.ok(lists().every((path) => path.startsWith("/v2/bundle/app/referrers/")));
    }));
}

/** Answers of registries that have no list of referrers. */
const without: readonly (readonly [what: string, answer: () => Response])[] = [
  ["404", () => new Response("", { status: 404 })],
  ["400", () => new Response("", { status: 400 })],
  ["406", () => new Response("", { status: 406 })],
  ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["JSON of another type", () => Response.json({ manifests: [] })],
];
for (const [what, answer] of without) {
  Deno.test(`where a registry answers ${what} for referrers, the tag of the digest lists them`, () =>
    tried(answer, async ({ registry, verify, lists }) => {
      const digest = registry.image("bundle/app:v1");
      registry.tagReferrers("bundle/app", digest);
      const result = await verify();
      assert.ok(result.ok, result.ok ? "" : result.message);
      assert.equal(lists().length, 2);
    }));
}
