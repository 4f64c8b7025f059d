/** Verification repeats no check: a cached verdict counts for nothing else. */
import assert from "node:assert/strict";
import { AuthorityCertificates } from "../../lib/registries/signatures/authority_certificates.ts";
import { encodedParts, encodeParts } from "../../lib/registries/signatures/asn1.ts";
import { type Certificate, readCertificate } from "../../lib/registries/signatures/certificate.ts";
import { type Hash, PublicKey } from "../../lib/registries/signatures/public_key.ts";
import { SignedMessage } from "../../lib/registries/signatures/signed_message.ts";
import { isFault } from "../../lib/json/mod.ts";
import { issue, type Keys, newKeys, signed } from "./signing/certificates.ts";
import { bytesOf } from "./signing/der.ts";
import { Signers } from "./signing/fixtures.ts";

Deno.test("a message's cached verdict counts for its key, signature and hash alone", async () => {
  const keys = newKeys(), other = newKeys();
  const message = new SignedMessage(bytesOf("payload"));
  const genuine = signed(keys, message.bytes);
  const rows: readonly (readonly [string, Keys, Uint8Array, Hash, boolean])[] = [
    ["the signature", keys, genuine, "sha256", true],
    ["another key", other, genuine, "sha256", false],
    ["another hash", keys, genuine, "sha512", false],
    ["a changed signature", keys, genuine.with(20, genuine[20]! ^ 1), "sha256", false],
    ["a signature of another message", keys, signed(keys, bytesOf("payloaf")), "sha256", false],
    ["no signature", keys, new Uint8Array(), "sha256", false],
    ["another signature of the same message", keys, signed(keys, message.bytes), "sha256", true],
  ];
  // Forward, then backward, so that each comes before and after every other.
  for (const [title, { spki }, signature, hash, holds] of [...rows, ...rows.toReversed()]) {
    const key = PublicKey.read(spki);
    assert.ok(!isFault(key));
    const why = await message.refuses(key, signature, hash);
    assert.equal(why === undefined, holds, title);
    assert.equal(why, await key.refuses({ message: message.bytes, signature, hash }), title);
  }
});

Deno.test("an authority's cached signature counts for all of its bytes and for its issuer's key", async () => {
  const { keylessRoot: root, keylessIntermediate: genuine } = new Signers();
  const otherRoot = issue({ name: "keyless root", keys: newKeys(), authority: true });
  const otherKey = newKeys();
  const rows: readonly (readonly [string, Uint8Array, Uint8Array, boolean])[] = [
    ["the authority's certificate", genuine.der, root.der, true],
    ["another issuer of the same name", genuine.der, otherRoot.der, false],
    ["another key in it", replaced(genuine.der, genuine.keys.spki, otherKey.spki), root.der, false],
    [
      "another name in it",
      replaced(genuine.der, bytesOf("intermediate"), bytesOf("intermediatf")),
      root.der,
      false,
    ],
    ["its signature changed", genuine.der.with(-1, genuine.der.at(-1)! ^ 1), root.der, false],
    ["the root, signed with its own key", root.der, root.der, true],
  ];
  const authorities = new AuthorityCertificates();
  for (const [title, der, issuer, holds] of [...rows, ...rows.toReversed()]) {
    assert.equal(await authorities.isSignedBy(await read(der), await read(issuer)), holds, title);
  }
});

Deno.test("certificates of authorities are parsed once, and other texts are other certificates", async () => {
  const { keylessRoot: root, keylessChain: chain } = new Signers();
  const authorities = new AuthorityCertificates();
  const once = await authorities.read(chain), again = await authorities.read(chain);
  const alone = await authorities.read(root.pem),
    other = await authorities.read(new Signers().keylessRoot.pem);
  assert.ok(!isFault(once) && !isFault(again) && !isFault(alone) && !isFault(other));
  assert.deepEqual(again.map((each, index) => each === once[index]), [true, true]);
  assert.equal(alone[0], once[1]);
  assert.notEqual(other[0], once[1]);
  assert.notDeepEqual(other[0]!.der, once[1]!.der);
  assert.ok(isFault(await authorities.read("no certificate")));
});

Deno.test("parts of an ASN.1 value stand as in the input, and give it again", async () => {
  const { ASN1Obj } = await import("@sigstore/core");
  const certificate = issue({ name: "a".repeat(300), keys: newKeys("rsa"), email: "a@b.test" }).der;
  const parsed = ASN1Obj.parseBuffer(Buffer.from(certificate));
  assert.deepEqual(encodeParts(0x30, encodedParts(parsed)), certificate);
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const value = encodeParts(0x30, [encodeParts(0x04, [new Uint8Array(length).fill(0xff)])]);
    const whole = ASN1Obj.parseBuffer(Buffer.from(value));
    assert.deepEqual(new Uint8Array(whole.toDER()), value, String(length));
    assert.deepEqual(encodeParts(0x30, encodedParts(whole)), value, String(length));
  }
});

async function read(der: Uint8Array): Promise<Certificate> {
  const certificate = await readCertificate(der);
  assert.ok(!isFault(certificate), isFault(certificate) ? certificate.message : "");
  return certificate;
}

/** Bytes in which the first occurrence of some is replaced by as many others. */
function replaced(bytes: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array {
  const at = bytes.findIndex((_, start) => from.every((byte, index) => bytes[start + index] === byte));
  assert.ok(at >= 0 && from.length === to.length);
  const changed = new Uint8Array(bytes);
  changed.set(to, at);
  return changed;
}
