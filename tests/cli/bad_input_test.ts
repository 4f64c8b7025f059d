/** Whatever a command is given, it says what is wrong and ends with a code; nobody sees a stack trace. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { good, policy } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

const jsonPolicy = `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: { name: named }
spec: { rules: [{ name: named, assert: { all: [{ check: { kind: Pod } }] } }] }
`;

const files = {
  "policy.yaml": policy,
  "pod.yaml": good,
  "json.yaml": jsonPolicy,
  "empty.yaml": "",
  "binary.yaml": "\u0000\u0001\ufffd: [",
};

/** Arguments that are no usable file, with the message for each. */
const unusable: readonly (readonly [argument: string, said: RegExp])[] = [
  ["@binary.yaml", /null byte/],
  ["@folder.yaml", /folder holds no|there are no policies|It is a folder|no policies|No test yamls/],
  ["@nothing.yaml", /no such file/i],
  ["@empty.yaml", /(?:)/],
];

/** Commands that take the argument at its position. */
const lines: readonly (readonly string[])[] = [
  ["lint", "?"],
  ["apply", "?", "-r", "@pod.yaml"],
  ["apply", "@policy.yaml", "-r", "?"],
  ["apply", "@policy.yaml", "-r", "@pod.yaml", "-e", "?"],
  ["explain", "@policy.yaml", "-r", "?"],
  ["explain", "@policy.yaml", "--review", "?"],
  ["replay", "?", "--policies", "@policy.yaml"],
  ["test", "?"],
  ["json", "scan", "--payload", "?", "--policy", "@json.yaml"],
  ["json", "scan", "--payload", "@pod.yaml", "--policy", "?"],
  ["export", "?"],
  ["manifests", "--policies", "?"],
  ["bundle", "--policies", "?", "--out", "@out.js"],
  ["serve", "--policies", "?", "--port", "99999"],
  ["cel", "check", "nothing", "--variables", "?"],
  ["jp", "query", "-i", "?", "a.b"],
];

/** Commands for which an empty folder of policies or exceptions is worth a warning alone. */
const mayBeEmpty = new Set(["manifests", "bundle", "apply"]);

for (const line of lines) {
  for (const [argument, said] of unusable) {
    const given = line.map((word) => word === "?" ? argument : word);
    // Without policies a gate admits everything: that is said, and no mistake.
    const isFine = argument === "@empty.yaml" || (argument === "@folder.yaml" && mayBeEmpty.has(line[0]!));
    Deno.test(`unusable input never crashes or passes: postern ${given.join(" ")}`, () =>
      inFolder(files, async (run, folder) => {
        await Deno.mkdir(join(folder, "folder.yaml"));
        const { code, out, err } = await run(...given);
        assert.doesNotMatch(`${out}\n${err}`, /\n {4}at |internal error/);
        if (!isFine) assert.ok(code === 1 || code === 2, `${code}\n${out}\n${err}`);
        assert.match(`${out}\n${err}`, said);
      }));
  }
}

const twice: readonly (readonly [args: readonly string[], said: RegExp])[] = [
  [["apply", "-", "-r", "-"], /policies or resources, not both/],
  [["apply", "@policy.yaml", "-r", "-", "-e", "-"], /resources or exceptions, not both/],
  [["explain", "-", "--review", "-"], /policies or reviews, not both/],
  [["replay", "-", "--policies", "-"], /reviews or policies, not both/],
  [["json", "scan", "--payload", "-", "--policy", "-"], /policies or payload, not both/],
];
for (const [args, said] of twice) {
  Deno.test(`postern ${args.join(" ")} refuses to read standard input twice`, () =>
    inFolder(files, async (run) => {
      const { code, err } = await run(...args);
      assert.match(err, said);
      assert.equal(code, 2);
    }));
}

Deno.test("a diagnostic names a key that YAML reads as a boolean", () =>
  inFolder(
    {
      "policy.yaml": policy.replace("failureAction: Enforce", "failureAction: Enforce\n        on: [CREATE]"),
    },
    async (run) => {
      assert.match(
        (await run("lint", "@policy.yaml")).out,
        /policy\.yaml:11:9: error unknown-field: Unknown field "true" in spec\.rules\[0\]\.validate\n {2}hint: YAML 1\.1 reads words such as y, yes and on as true, keys too: quote what is meant as text/,
      );
    },
  ));

/** Files in another encoding; Kyverno refuses those with bytes that are no UTF-8, too. */
const encodings: readonly (readonly [what: string, bytes: (text: string) => Uint8Array, said: RegExp])[] = [
  [
    "UTF-16, which PowerShell writes",
    (text) => utf16(text, true),
    /unreadable-file: The file is UTF-16: save it/,
  ],
  ["UTF-16 of big endian", (text) => utf16(text, false), /unreadable-file: The file is UTF-16: save it/],
  [
    "Latin 1",
    (text) => Uint8Array.from(`# caf\xe9\n${text}`, (each) => each.charCodeAt(0)),
    /The file is not UTF-8/,
  ],
];
function utf16(text: string, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2));
  [..."\ufeff", ...text].forEach((each, at) => view.setUint16(2 * at, each.charCodeAt(0), isLittle));
  return new Uint8Array(view.buffer);
}
for (const [what, bytes, said] of encodings) {
  Deno.test(`files in ${what}, are refused: no value is read as another`, () =>
    inFolder(files, async (run, folder) => {
      await Deno.writeFile(join(folder, "p.yaml"), bytes(policy));
      await Deno.writeFile(join(folder, "o.yaml"), bytes(good));
      for (const line of [["@p.yaml", "-r", "@pod.yaml"], ["@policy.yaml", "-r", "@o.yaml"]]) {
        const { code, err } = await run("apply", ...line);
        assert.match(err, said);
        assert.equal(code, 1);
      }
    }));
}
