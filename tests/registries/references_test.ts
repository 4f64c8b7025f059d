/** References of images, their registries and schemes. */
import assert from "node:assert/strict";
import { parseReference, schemesOf } from "../../lib/registries/registry/reference.ts";
import { isFault } from "../../lib/json/mod.ts";

const D = `sha256:${"a".repeat(64)}`;

const references: [text: string, registry: string, repository: string, tag: string, digest: string][] = [
  ["nginx", "index.docker.io", "library/nginx", "latest", ""],
  ["nginx:1.2", "index.docker.io", "library/nginx", "1.2", ""],
  ["docker.io/nginx", "index.docker.io", "library/nginx", "latest", ""],
  ["index.docker.io/org/app", "index.docker.io", "org/app", "latest", ""],
  ["org/app", "index.docker.io", "org/app", "latest", ""],
  ["ghcr.io/org/app:v1", "ghcr.io", "org/app", "v1", ""],
  ["localhost:5000/app", "localhost:5000", "app", "latest", ""],
  ["localhost/app", "localhost", "app", "latest", ""],
  [`ghcr.io/app@${D}`, "ghcr.io", "app", "", D],
  [`ghcr.io/app:v1@${D}`, "ghcr.io", "app", "v1", D],
  ["[::1]:5000/app", "[::1]:5000", "app", "latest", ""],
];
for (const [text, registry, repository, tag, digest] of references) {
  Deno.test(`parseReference() reads ${text.replace(D, "DIGEST")}`, () => {
    assert.deepEqual(parseReference(text), { registry, repository, tag, digest });
  });
}

const unreadable: readonly (readonly [text: string, reason: RegExp])[] = [
  ["", /must have 2 to 255 characters$/],
  ["a", /must have 2 to 255 characters$/],
  ["ghcr.io/a:1", /must have 2 to 255 characters$/],
  ["ghcr.io/", /must have 2 to 255 characters$/],
  [`ghcr.io/${"a".repeat(256)}`, /must have 2 to 255 characters$/],
  ["UPPER", /can only have the characters a-z/],
  ["a b", /can only have the characters a-z/],
  ["ghcr.io/a/../b", /can only have the characters a-z/],
  ["ghcr.io//a", /can only have the characters a-z/],
  ["x@sha256:1", /the digest must be/],
  ["app:-", /the tag has other characters/],
  ["a.b:x/app", /the registry is no host name/],
];
for (const [text, reason] of unreadable) {
  Deno.test(`parseReference() refuses ${JSON.stringify(text.slice(0, 20))}, and says why`, () => {
    const read = parseReference(text);
    assert.ok(isFault(read));
    assert.match(read.message, reason);
  });
}

const schemes: readonly (readonly [registry: string, schemes: string])[] = [
  ["ghcr.io", "https"],
  ["localhost:5000", "https http"],
  ["127.1.2.3", "https http"],
  ["registry.local", "https http"],
  ["10.0.0.1:5000", "https http"],
  ["192.168.1.1", "https http"],
  ["172.31.0.1", "https http"],
  ["172.32.0.1", "https"],
];
for (const [registry, expected] of schemes) {
  Deno.test(`the registry ${registry} is called by ${expected}`, () => {
    assert.equal(schemesOf(registry, "no").join(" "), expected);
  });
}
