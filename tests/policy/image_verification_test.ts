/** Entries of `verifyImages` in their older form, and what they are read as. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { imageVerificationOf, modernEntry } from "../../lib/policy/image_verification.ts";

const signed = { attestors: [{ entries: [{ keys: { publicKeys: "K" } }] }] };

/** Older spellings of an entry, with the current entry of the same meaning. */
const older: readonly (readonly [what: string, written: JsonObject, meant: JsonObject])[] = [
  ["nothing of it", { imageReferences: ["a*"], ...signed }, { imageReferences: ["a*"], ...signed }],
  ["an image beside references", { image: "b*", imageReferences: ["a*"], ...signed }, {
    imageReferences: ["a*", "b*"],
    ...signed,
  }],
  ["a key", { image: "b*", key: "K" }, {
    imageReferences: ["b*"],
    attestors: [{ entries: [{ keys: { publicKeys: "K" }, annotations: {} }] }],
  }],
  ["an issuer", { image: "b*", issuer: "I", subject: "S", roots: "R" }, {
    imageReferences: ["b*"],
    attestors: [{ entries: [{ keyless: { issuer: "I", subject: "S", roots: "R" }, annotations: {} }] }],
  }],
  // Annotations alone ask for a signer who is not named, which is refused at load.
  ["annotations alone", { image: "b*", annotations: { env: "prod" } }, {
    imageReferences: ["b*"],
    annotations: { env: "prod" },
    attestors: [{ entries: [{ annotations: { env: "prod" } }] }],
  }],
  ["a key beside attestations", { image: "b*", key: "K", attestations: [{ type: "t" }] }, {
    imageReferences: ["b*"],
    attestations: [{ type: "t" }],
  }],
];

for (const [what, written, meant] of older) {
  Deno.test(`an entry with ${what} in the older form`, () => assert.deepEqual(modernEntry(written), meant));
}

Deno.test("a keyless attestor takes no roots from its entry", () => {
  const keyless = { subject: "s", rekor: { url: "https://r.example" } };
  const entry = imageVerificationOf({
    imageReferences: ["a*"],
    roots: "R",
    attestors: [{ entries: [{ keyless }] }],
  });
  const [signer] = entry.attestors[0]!.entries;
  assert.equal(signer?.kind === "signer" && signer.by.kind === "keyless" && signer.by.roots, "");
  assert.equal(entry.roots, "R");
});
