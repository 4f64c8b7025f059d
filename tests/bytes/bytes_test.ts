/** Digests and gzip give what the platform's own implementations give, and what is hostile costs little. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { gunzip, gzip, hexDigest } from "../../lib/bytes/mod.ts";
import { isFault } from "../../lib/json/mod.ts";

const most = 100_000;

Deno.test("digests equal the platform's, for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    for (const algorithm of ["md5", "sha1", "sha256"] as const) {
      assert.equal(hexDigest(algorithm, text), createHash(algorithm).update(text).digest("hex"));
    }
  }));
});

Deno.test("the platform decompresses the output of gzip, and gunzip that of the platform", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
    assert.deepEqual(new Uint8Array(gunzipSync(gzip(bytes))), bytes);
    assert.deepEqual(gunzip(new Uint8Array(gzipSync(bytes)), most), bytes);
  }));
});

Deno.test("gunzip never throws, and decompresses nothing that the platform refuses", () => {
  const valid = new Uint8Array(gzipSync(new TextEncoder().encode("policies ".repeat(100))));
  const edited = fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => valid.with(at, byte));
  fc.assert(fc.property(fc.oneof(edited, fc.uint8Array()), (bytes) => {
    const unpacked = gunzip(bytes, most);
    if (!isFault(unpacked)) assert.deepEqual(unpacked, new Uint8Array(gunzipSync(bytes)));
  }));
});

const text = new TextEncoder().encode("a signed manifest");
const packed = new Uint8Array(gzipSync(text));
const bad: readonly [what: string, bytes: Uint8Array, message: RegExp][] = [
  ["no bytes", new Uint8Array(), /unexpected end of file/],
  ["bytes in another format", text, /incorrect header check/],
  ["the first half", packed.subarray(0, packed.length / 2), /unexpected end of file/],
  ["a wrong checksum", packed.with(packed.length - 6, packed.at(-6)! ^ 1), /incorrect data check/],
  ["a wrong length", packed.with(packed.length - 1, 1), /incorrect length check/],
  ["too many bytes", new Uint8Array(gzipSync(new Uint8Array(50_000_000))), /more than 100000 bytes/],
];
for (const [what, bytes, message] of bad) {
  Deno.test(`gunzip refuses ${what}`, () => {
    const unpacked = gunzip(bytes, most);
    assert(isFault(unpacked));
    assert.match(unpacked.message, message);
  });
}

Deno.test("gunzip joins the members of a file", () => {
  assert.deepEqual(gunzip(new Uint8Array([...packed, ...packed]), most), new Uint8Array([...text, ...text]));
});
