/** Files of policies that change while they are in force. */
import assert from "node:assert/strict";
import { FileSource, FollowedPolicies, type LoadedPolicies } from "../../lib/sources/mod.ts";

function policy(name: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: named
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: m, pattern: {metadata: {name: "?*"}}}
`;
}

/** Followed policies of paths below a folder of their own. */
async function setUp(paths: readonly string[], { compareEvery = 3_600_000 } = {}) {
  const folder = await Deno.makeTempDir({ prefix: "postern-files-" });
  const loads: LoadedPolicies[] = [];
  const path = (name: string): string => `${folder}/${name}`;
  const write = (name: string, text: string): Promise<void> => Deno.writeTextFile(path(name), text);
  const policies = new FollowedPolicies({
    source: new FileSource(paths.map(path), { compareEvery, compareReplacedEvery: 200 }),
    compiling: {},
    loaded: (loaded) => void loads.push(loaded),
  });
  const names = (): string[] => (policies.snapshot?.policies ?? []).map(({ policy }) => policy.key);
  const codes = (): string[] => loads.at(-1)!.diagnostics.map(({ code }) => code);
  return {
    policies,
    path,
    write,
    names,
    codes,
    async [Symbol.asyncDispose]() {
      policies.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until the names of the policies in force are these. */
async function until(names: () => string[], expected: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (names().join() === expected.join()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(names(), expected);
}

const versions: readonly [what: string, text: string, names: readonly string[], kept: boolean][] = [
  ["emptied", "", ["a", "b"], true],
  ["left with comments alone", "# nothing yet\n", ["a", "b"], true],
  ["cut off inside a text", policy("a").slice(0, 60) + '"', ["a", "b"], true],
  ["cut off between lines", policy("a").split("\n").slice(0, 5).join("\n"), ["a", "b"], true],
  ["given a mistake", policy("a").replace("pattern", "patern"), ["a", "b"], true],
  ["renamed inside", policy("c"), ["b", "c"], false],
];
for (const [what, text, expected, kept] of versions) {
  Deno.test(`the former version of a file stays in force when it is ${what}: ${kept}`, async () => {
    await using setting = await setUp(["."]);
    const { policies, write, names, codes } = setting;
    await write("a.yaml", policy("a"));
    await write("b.yaml", policy("b"));
    await policies.load();
    assert.deepEqual(names(), ["a", "b"]);
    await write("a.yaml", text);
    await policies.load();
    assert.deepEqual(names(), expected);
    assert.ok(policies.snapshot!.policies.every(({ broken }) => broken === undefined));
    assert.equal(codes().includes("former-version"), kept);
    await write("a.yaml", policy("d"));
    await policies.load();
    assert.deepEqual(names(), ["b", "d"]);
    assert.deepEqual(codes(), []);
  });
}

Deno.test("deleting a file removes its policies, a missing path of --policies does not", async () => {
  await using setting = await setUp(["folder", "c.yaml"]);
  const { policies, path, write, names, codes } = setting;
  await Deno.mkdir(path("folder"));
  await write("folder/a.yaml", policy("a"));
  await write("folder/b.yaml", policy("b"));
  await write("c.yaml", policy("c"));
  await policies.load();
  await Deno.remove(path("folder/a.yaml"));
  await policies.load();
  assert.deepEqual(names(), ["b", "c"]);
  await Deno.remove(path("c.yaml"));
  await Deno.rename(path("folder"), path("elsewhere"));
  await policies.load();
  assert.deepEqual(names(), ["b", "c"]);
  assert.equal(codes().filter((code) => code === "former-version").length, 2);
});

Deno.test("a file that always had errors keeps its policies when it is emptied", async () => {
  await using setting = await setUp(["a.yaml"]);
  const { policies, write, names } = setting;
  await write("a.yaml", policy("a").replace("pattern", "patern"));
  await policies.load();
  await write("a.yaml", "");
  await policies.load();
  assert.deepEqual(names(), ["a"]);
});

Deno.test("policies are reloaded after replacement by rename, new link targets and moved folders", async () => {
  await using setting = await setUp(["a.yaml", "linked", "moved"]);
  const { policies, path, write, names } = setting;
  await write("a.yaml", policy("a"));
  for (const name of ["one", "two", "moved"]) await Deno.mkdir(path(name));
  await write("one/l.yaml", policy("l1"));
  await write("two/l.yaml", policy("l2"));
  await write("moved/m.yaml", policy("m1"));
  await Deno.symlink("one", path("linked"));
  await policies.load();
  policies.watch();
  for (const next of ["a2", "a3"]) {
    await write("a.new", policy(next));
    await Deno.rename(path("a.new"), path("a.yaml"));
    await until(names, [next, "l1", "m1"]);
  }
  await Deno.symlink("two", path("link.new"));
  await Deno.rename(path("link.new"), path("linked"));
  await until(names, ["a3", "l2", "m1"]);
  await write("two/l.yaml", policy("l3"));
  await until(names, ["a3", "l3", "m1"]);
  await Deno.rename(path("moved"), path("away"));
  await Deno.mkdir(path("moved"));
  await write("moved/m.yaml", policy("m2"));
  await until(names, ["a3", "l3", "m2"]);
  await write("moved/m.yaml", policy("m3"));
  await until(names, ["a3", "l3", "m3"]);
});

Deno.test("policies of unchanged files keep their compiled form", async () => {
  await using setting = await setUp(["."]);
  const { policies, write } = setting;
  for (const name of ["a", "b", "c"]) await write(`${name}.yaml`, policy(name));
  await policies.load();
  const compiled = () => policies.snapshot!.policies;
  const before = compiled();
  await policies.load();
  assert.ok(compiled().every((each, index) => each === before[index]), "nothing changed");
  const loads: readonly (readonly [what: string, text: string])[] = [
    ["another message", policy("b").replace("message: m", "message: n")],
    ["a mistake, with which the former version stays", policy("b").replace("pattern", "patern")],
    ["no mistake", policy("b").replace("message: m", "message: o")],
  ];
  for (const [what, text] of loads) {
    await write("b.yaml", text);
    await policies.load();
    assert.deepEqual(compiled().map(({ policy }) => policy.key), ["a", "b", "c"]);
    assert.equal(compiled()[0], before[0], what);
    assert.notEqual(compiled()[1], before[1], what);
    assert.equal(compiled()[2], before[2], what);
  }
});

Deno.test("polling finds a change without an event", async () => {
  await using setting = await setUp(["a.yaml"], { compareEvery: 100 });
  const { policies, path, write, names } = setting;
  await write("a.yaml", policy("a"));
  await policies.load();
  // A watch of a path that leads nowhere has no events.
  await Deno.remove(path("a.yaml"));
  policies.watch();
  await write("a.yaml", policy("b"));
  await until(names, ["b"]);
});
