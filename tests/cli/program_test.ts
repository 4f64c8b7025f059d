/** The command line as a whole: records, help, and how options are read. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { command, longName } from "../../lib/cli/command.ts";
import { commands } from "../../lib/cli/commands/table.ts";
import { normalizeArguments, splitList } from "../../lib/cli/flag_syntax.ts";
import { run } from "../../lib/cli/mod.ts";
import { version } from "../../lib/cli/version.ts";
import { heard } from "./golden.ts";

async function ran(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = heard();
  const code = await run(args, terminal);
  return { code, out: out(), err: err() };
}

Deno.test("the version is that of deno.json", async () => {
  const root = join(import.meta.dirname!, "..", "..");
  assert.equal(version, JSON.parse(await Deno.readTextFile(join(root, "deno.json"))).version);
  assert.deepEqual(await ran("--version"), { code: 0, out: version, err: "" });
});

for (const record of commands) {
  Deno.test(`${record.name} --help names every option and shows two examples`, async () => {
    const { code, out } = await ran(...record.name.split(" "), "--help");
    assert.equal(code, 0);
    const shown = Object.entries(record.options).filter(([, option]) =>
      option.hidden !== true && option.type !== "unsupported"
    );
    for (const [key, option] of shown) assert.match(out, new RegExp(`--(?:no-)?${longName(key, option)}\\b`));
    const examples = out.slice(out.indexOf("Examples:"));
    assert.ok((examples.match(/\n {2}# .+\n {2}postern /g) ?? []).length >= 2, examples);
    for (const { line } of record.examples) {
      assert.ok(line.startsWith(`${record.name} `) || line === record.name);
    }
  });
}

Deno.test("an invalid command line ends with 2 and a suggestion", async () => {
  const cases: [args: string[], said: RegExp][] = [
    [["aply"], /unknown command 'aply'\n\(Did you mean apply\?\)/],
    [
      ["apply", "p.yaml", "--polcy-report"],
      /unknown option '--polcy-report'\n\(Did you mean --policy-report\?\)/,
    ],
    [["apply"], /missing required argument 'policy'/],
    [["apply", "p.yaml", "--warn-exit-code", "many"], /It must be a whole number/],
    [
      ["apply", "p.yaml", "--audit-warn=maybe"],
      /option '--audit-warn' argument 'maybe' is invalid\. Allowed choices are true, false/,
    ],
    [["lint", "p.yaml", "--dialect", "old"], /Allowed choices are classic, current/],
  ];
  for (const [args, said] of cases) {
    const { code, err } = await ran(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, said);
  }
});

const shapes = [
  { long: "--resource", short: "-r", required: true },
  { long: "--quiet", short: "-q", required: false },
  { long: "--no-tls", required: false },
];

const lines: [given: string[], read: string[]][] = [
  [["--quiet=true"], ["--quiet"]],
  [["--quiet=T"], ["--quiet"]],
  [["--quiet=0"], ["--no-quiet"]],
  [["-q=F"], ["--no-quiet"]],
  [["--quiet=perhaps"], ["--quiet=perhaps"]],
  [["--no-tls=false"], ["--tls"]],
  [["--no-tls=true"], ["--no-tls"]],
  [["-r=a", "b"], ["-r", "a", "b"]],
  [["--resource=a=b"], ["--resource", "a=b"]],
  [["-r", "--quiet=true"], ["-r", "--quiet=true"]],
  [["--", "--quiet=true"], ["--", "--quiet=true"]],
];
for (const [given, read] of lines) {
  Deno.test(`${given.join(" ")} is read as ${read.join(" ")}`, () => {
    assert.deepEqual(normalizeArguments(given, shapes), read);
  });
}

const values: [given: string[], refused: string[]][] = [
  [["--quiet=perhaps", "-q=", "--no-tls=a=b"], ["--quiet perhaps", "-q ", "--no-tls a=b"]],
  [["--quiet=constructor"], ["--quiet constructor"]],
  [["--quiet=true", "--quiet", "--resource=perhaps", "--other=perhaps", "file=perhaps"], []],
  [["-r", "--quiet=perhaps", "-r=--quiet=perhaps"], []],
  [["--", "--quiet=perhaps"], []],
];
for (const [given, refused] of values) {
  const which = refused.length === 0 ? "nothing" : refused.join(", ");
  Deno.test(`of ${given.join(" ")} the parser refuses ${which}`, () => {
    const found: string[] = [];
    normalizeArguments(given, shapes, (flag, value) => found.push(`${flag} ${value}`));
    assert.deepEqual(found, refused);
  });
}

Deno.test("a value of an option may look like a flag with a value", async () => {
  const { code, err } = await ran("apply", "p.yaml", "-r", "--audit-warn=maybe");
  assert.doesNotMatch(err, /Allowed choices are true, false/);
  assert.match(err, /--audit-warn=maybe/);
  assert.equal(code, 1);
});

Deno.test("lists are split at commas outside of quotes", () => {
  assert.deepEqual(splitList("a,b"), ["a", "b"]);
  assert.deepEqual(splitList('"a,b",c'), ["a,b", "c"]);
  assert.deepEqual(splitList('"say ""no""",c'), ['say "no"', "c"]);
  assert.deepEqual(splitList("a,,b,"), ["a", "b"]);
  assert.deepEqual(splitList(""), []);
});

Deno.test("a repeatable option takes one value each time, so that operands may follow", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    const pod = join(folder, "pod.yaml");
    const broken = join(folder, "broken.yaml");
    await Deno.writeTextFile(pod, "{apiVersion: v1, kind: Pod, metadata: {name: web}}");
    await Deno.writeTextFile(
      broken,
      "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: 1}",
    );
    const { err } = await ran("apply", "-r", pod, broken);
    assert.match(err, /broken\.yaml:1:\d+: error/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the types of a command's options follow its table", () => {
  const record = command({
    name: "count",
    about: "counts",
    options: {
      from: { type: "number", value: "number", about: "first", default: 1 },
      words: { type: "list", value: "word", about: "what is counted" },
      name: { type: "text", value: "name", about: "of the count" },
    },
    examples: [{ does: "a", line: "count" }, { does: "b", line: "count --from 2" }],
    run: (_, { from, words, name }) => Promise.resolve(from + words.length + (name?.length ?? 0)),
  });
  assert.equal(record.name, "count");
});
