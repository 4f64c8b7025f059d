/**
 * Signed YAML of whoever creates the object: however it is packed, it costs no more than it may, and passes nothing.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { evaluate } from "../../lib/engine/mod.ts";
import { pod, policies, ports, request } from "../engine/ports.ts";
import { ScriptedSignatures } from "../rules/verify_images/scripted_signatures.ts";

/** Any signature of any text verifies: what stands between a hostile message and a pass is what it says. */
class Trusting extends ScriptedSignatures {
  override verifyText(): ReturnType<ScriptedSignatures["verifyText"]> {
    return Promise.resolve({ ok: true, signer: "" });
  }
}

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: signed
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, manifests: {attestors: [{entries: [{keys: {publicKeys: A}}]}]}}
`;

async function rowsOf(message: Uint8Array): Promise<string> {
  const annotations = {
    "cosign.sigstore.dev/message": message.toBase64(),
    "cosign.sigstore.dev/signature": "A",
  };
  const object = pod({ containers: [{ name: "c", image: "a:1" }] }, { annotations });
  const decision = await evaluate(policies(policy, { dialect: "current" }), request(object), {
    phase: "validate",
    ports: { ...ports(), signatures: new Trusting({}) },
  });
  return decision.results.flatMap(({ rules }) => rules.map((each) => `${each.result} ${each.message}`))
    .join();
}

function gzip(content: Uint8Array | string): Uint8Array {
  return new Uint8Array(gzipSync(content));
}

/** A tar archive of one file whose header says a size of its own. */
function tar(content: string, size: string): Uint8Array {
  const archive = new Uint8Array(512 + Math.ceil(content.length / 512) * 512);
  const put = (text: string, at: number): void => archive.set(new TextEncoder().encode(text), at);
  put("a.yaml", 0);
  put(size, 124);
  put("0", 156);
  put("ustar", 257);
  put(content, 512);
  return archive;
}

const honest =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: 'a:1'}]}\n";
const aliases = Array.from(
  { length: 12 },
  (_, index) => `a${index}: &a${index} [${index === 0 ? "x" : Array(9).fill(`*a${index - 1}`).join(", ")}]`,
).join("\n");

Deno.test("an honest message passes, however it is packed", async () => {
  const octal = honest.length.toString(8).padStart(11, "0");
  for (const message of [gzip(honest), gzip(tar(honest, octal)), gzip(gzip(tar(honest, octal)))]) {
    assert.match(await rowsOf(message), /^pass /);
  }
});

const none = /^fail .*message not found$/;
const messages: readonly (readonly [what: string, message: () => Uint8Array, said: RegExp])[] = [
  ["200 MB in a few bytes", () => gzip(new Uint8Array(200_000_000)), none],
  ["200 MB in a few bytes, packed twice", () => gzip(gzip(new Uint8Array(200_000_000))), none],
  ["an archive whose file says to be larger than all", () => gzip(tar("x", "77777777777")), none],
  ["an archive whose file says to be smaller than nothing", () => gzip(tar(honest, "-1")), none],
  ["an archive of two thousand empty files", () => gzip(repeated(tar("", "0"), 1_900)), none],
  ["aliases that stand for thousands of millions of values", () => gzip(`kind: Pod\n${aliases}`), none],
  ["lists in lists without end", () => gzip("[".repeat(400_000)), none],
  [
    "a manifest of its kind with lists in lists",
    () => gzip(`kind: Pod\nmetadata: {name: web}\nspec: ${"[".repeat(5_000)}${"]".repeat(5_000)}`),
    none,
  ],
  ["bytes that are no text", () => gzip(crypto.getRandomValues(new Uint8Array(50_000))), none],
  [
    "names that every object has",
    () => gzip("kind: Pod\nmetadata: {name: web}\n__proto__: {a: 1}\nconstructor: {prototype: {a: 1}}\n"),
    /^fail .*diff found/,
  ],
  [
    "the manifest of another object",
    () => gzip(honest.replace("name: web", "name: other")),
    /^fail .*diff found/,
  ],
];

function repeated(content: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(content.length * count);
  for (let index = 0; index < count; index++) all.set(content, index * content.length);
  return all;
}

for (const [what, message, said] of messages) {
  Deno.test(`signed YAML: ${what}`, async () => assert.match(await rowsOf(message()), said));
}
