/**
 * The shape of the code base, enforced: one direction of imports, one door a folder, no I/O in the engine, small files.
 */
import assert from "node:assert/strict";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname!, "..");
const lib = join(root, "lib");

const base = ["json", "bytes", "ports", "kube", "diagnostics", "yaml", "shape"];
const languages = ["jmespath", "cel", "pattern", "patch", "template", "condition"];
const policies = [...base, ...languages, "context", "policy", "match", "rules"];
const engine = [...policies, "documents", "engine"];

/** The modules that each module of `lib/` may import, lowest first. */
const allowed: Record<string, readonly string[]> = {
  json: [],
  pause: [],
  bytes: ["json"],
  ports: ["json"],
  slices: ["json", "ports"],
  answer_lifetime: ["ports"],
  kube: ["json", "bytes", "ports"],
  diagnostics: ["json"],
  yaml: ["json", "diagnostics"],
  shape: ["json", "diagnostics"],
  jmespath: ["json", "bytes", "diagnostics", "kube", "yaml"],
  cel: ["json", "bytes", "diagnostics", "kube", "yaml"],
  pattern: ["json", "kube"],
  patch: ["json", "kube", "yaml", "pattern"],
  template: ["json", "diagnostics", "kube", "jmespath"],
  condition: ["json", "diagnostics", "kube", "jmespath", "pattern", "template"],
  context: [...base, "answer_lifetime", "jmespath", "template", "condition"],
  policy: [...base, "context"],
  match: [...base, "pattern", "policy"],
  rules: [...base, ...languages, "context", "policy", "match"],
  documents: policies,
  engine: [...policies, "documents"],
  report: engine,
  library: [...engine, "report"],
  clock: ["ports"],
  entropy: ["ports"],
  embedded: [...base, "jmespath", "clock", "entropy"],
  adapters: [...base, "pause", "slices", "answer_lifetime", "clock", "entropy"],
  registries: [...base, "adapters"],
  sources: [...engine, "slices", "adapters"],
  apply: [...engine, "report"],
  testing: [...engine, "report", "embedded", "adapters", "registries", "sources", "apply"],
  simulation: [...engine, "report", "library", "embedded", "apply"],
  background: [...engine, "pause"],
  live: [...engine, "pause", "slices", "report", "background"],
  certificates: ["json", "ports"],
  install: [...engine, "pause", "certificates", "live"],
  server: [...engine, "pause", "slices", "report", "background"],
  listener: ["json", "pause"],
  bundled: [...engine, "adapters", "registries", "background", "server"],
  heap: ["adapters"],
  open_ports: [...engine, "embedded", "adapters", "registries", "heap"],
  host: [
    ...engine,
    "pause",
    "report",
    "adapters",
    "heap",
    "open_ports",
    "sources",
    "background",
    "certificates",
    "live",
    "install",
    "server",
    "listener",
  ],
  cli: [
    ...engine,
    "report",
    "embedded",
    "adapters",
    "registries",
    "sources",
    "apply",
    "testing",
    "background",
    "certificates",
    "install",
    "live",
    "server",
    "bundled",
    "open_ports",
    "host",
  ],
};

/** Modules without I/O: time, randomness, network and files arrive as ports. */
const pure: readonly string[] = engine;
const ioCalls =
  /\bDeno\.|\bfetch\(|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bconsole\.|\brandomUUID\b|\bset(?:Timeout|Interval)\(/;

function sourceFiles(folder: string, ending = /\.ts$/): string[] {
  const files: string[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...sourceFiles(path, ending));
    else if (ending.test(entry.name)) files.push(path);
  }
  return files.sort();
}

function moduleOf(path: string): string {
  return relative(lib, path).split("/")[0]!.replace(/\.ts$/, "");
}

function importsOf(source: string): string[] {
  const clause =
    /(?:^|\n)\s*(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;
  return [...withoutComments(source).matchAll(clause)].map((match) => (match[1] ?? match[2])!);
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

interface Source {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

function sourceOf(path: string): Source {
  return { path, name: relative(root, path), text: Deno.readTextFileSync(path) };
}

const files = sourceFiles(lib).map(sourceOf);

/** The sources of the image and of releases, and the entries. */
const programs = [
  ...["image", "release"].flatMap((folder) => sourceFiles(join(root, folder), /\.[jt]s$/)),
  ...["main.ts", "mod.ts"].map((name) => join(root, name)),
].map(sourceOf);

Deno.test("imports go downwards only, and through a folder's mod.ts", () => {
  const wrong: string[] = [];
  for (const { path, name, text } of files) {
    const from = moduleOf(path);
    const may = allowed[from];
    if (may === undefined) {
      wrong.push(`${name}: no module "${from}" in the table`);
      continue;
    }
    for (const target of importsOf(text).filter((specifier) => specifier.startsWith("."))) {
      const absolute = resolve(dirname(path), target);
      // The one place that says the version.
      if (absolute === join(lib, "../deno.json")) continue;
      if (!absolute.startsWith(lib)) {
        wrong.push(`${name}: imports ${target} from outside lib/`);
        continue;
      }
      const to = moduleOf(absolute);
      if (to === from) continue;
      if (!may.includes(to)) wrong.push(`${name}: ${from} must not import ${to}`);
      // A module of one file is its own door.
      if (![`${to}.ts`, `${to}/mod.ts`].includes(relative(lib, absolute))) {
        wrong.push(`${name}: enters ${to} by ${relative(lib, absolute)} instead of its mod.ts`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("the engine and everything below it does no I/O", () => {
  const wrong = files.filter(({ path, text }) =>
    pure.includes(moduleOf(path)) && ioCalls.test(withoutComments(text))
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

/** The modules that code of a file loads with it: not those of types, nor of an `import()`. */
function loadedWith(text: string): string[] {
  const clause = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)([^;"']*?)from\s*["'](\.[^"']+)["']/g;
  return [...withoutComments(text).matchAll(clause)]
    .filter(([, names]) => !/^\{\s*(?:type [^,}]+,?\s*)+\}\s*$/.test(names!))
    .map(([, , specifier]) => specifier!);
}

/** The files that code of these files loads before it calls an `import()`. */
function loadedFrom(names: readonly string[]): ReadonlySet<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const open = names.map((name) => join(lib, name));
  const loaded = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const targets = loadedWith(texts.get(path) ?? "").map((to) => resolve(dirname(path!), to));
    for (const target of targets.filter((each) => !loaded.has(each))) {
      loaded.add(target);
      open.push(target);
    }
  }
  return loaded;
}

const late: readonly (readonly [command: string, file: string, late: readonly string[]])[] = [
  ["serve", "cli/serve.ts", [
    "registries",
    "embedded",
    "background",
    "live",
    "install",
    "apply",
    "testing",
    "bundled",
    "simulation",
  ]],
  ["apply", "cli/apply/run.ts", ["listener", "certificates", "host"]],
  ["replay", "cli/replay.ts", ["registries", "listener", "certificates", "host"]],
];
for (const [command, file, modules] of late) {
  Deno.test(`before ${command} begins it loads no code of ${modules.join(", ")}`, () => {
    const loaded = loadedFrom(["cli/mod.ts", file]);
    assert.deepEqual([...loaded].filter((path) => modules.includes(moduleOf(path))), []);
    assert.ok(loaded.has(join(lib, "cel/mod.ts")), "modules are found");
  });
}

Deno.test("files have at most 500 lines and are named in snake_case", () => {
  const wrong = files.filter(({ path, text }) =>
    text.split("\n").length > 501 || !/^[a-z0-9_]+\.ts$/.test(path.split("/").at(-1)!)
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

Deno.test("lines of comments have at most 120 characters, except those of examples", () => {
  const wrong = [...files, ...programs].flatMap(({ name, text }) =>
    text.replace(/```[^]*?```/g, "").split("\n")
      .filter((line) => line.length > 120 && /^\s*(?:\/?\*|\/\/)/.test(line))
      .map((line) => `${name}: ${line.trim()}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("no file is named for a heap: util, helper, common, manager, data, info", () => {
  const heap = /(^|[/_])(utils?|helpers?|common|managers?|data|info)(_|\.ts$|\/)/;
  assert.deepEqual(files.map(({ name }) => name).filter((name) => heap.test(name)), []);
});

/** Two names of the CEL library that programs import. */
const importedByPrograms = ["PER_CALL_LIMIT", "POLICY_BUDGET"];

Deno.test("names of constants are in camelCase, as all names of values", () => {
  const wrong = files.flatMap(({ name, text }) =>
    [...text.matchAll(/^(?:export )?const [A-Z].*$/gm)]
      .flatMap(([line]) => [...line.matchAll(/(?:const|,) ([A-Z][A-Z0-9_]{2,})(?= =|:|$)/g)])
      .map(([, constant]) => constant!)
      .filter((constant) => !importedByPrograms.includes(constant))
      .map((constant) => `${name}: ${constant}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("no source uses any, and libraries export no defaults", () => {
  const wrong = files.filter(({ text }) =>
    /:\s*any\b|\bas any\b|<any>|^export default/m.test(withoutComments(text))
  );
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

/** The files below `lib/` that a file imports or re-exports, types included. */
const targets: ReadonlyMap<string, readonly string[]> = new Map(files.map(({ path, text }) => [
  path,
  importsOf(text).filter((specifier) => specifier.startsWith(".")).map((to) => resolve(dirname(path), to)),
]));

/** A file's chain of imports that leads back to the file, if there is one. */
function circleFrom(
  path: string,
  chain: readonly string[],
  done: Set<string>,
): readonly string[] | undefined {
  const start = chain.indexOf(path);
  if (start >= 0) return chain.slice(start);
  if (done.has(path)) return undefined;
  for (const target of targets.get(path) ?? []) {
    const circle = circleFrom(target, [...chain, path], done);
    if (circle !== undefined) return circle;
  }
  done.add(path);
  return undefined;
}

Deno.test("no files import each other in a circle, not even for types", () => {
  const done = new Set<string>();
  const circles = files.flatMap(({ path }) => {
    const circle = circleFrom(path, [], done);
    return circle === undefined ? [] : [circle.map((each) => relative(root, each)).join(" → ")];
  });
  assert.deepEqual(circles, []);
});

Deno.test("no two files export a type of the same name", () => {
  const homes = new Map<string, string[]>();
  for (const { name, text } of files) {
    for (
      const [, type] of text.matchAll(/^export (?:type|interface|class|abstract class|enum) (\w+)/gm)
    ) {
      homes.set(type!, [...homes.get(type!) ?? [], name]);
    }
  }
  const wrong = [...homes].filter(([, in_]) => in_.length > 1);
  assert.deepEqual(wrong.map(([type, in_]) => `${type}: ${in_.join(", ")}`), []);
});

const mostLines = 60;

const begins =
  /^(\s*)(?:export )?(?:(?:static|async|override|get|set) )*(?:function\*? )?([#\w*]+)(?:<.*>)?\(/;
const opens = /\)(?:: .+)? \{$/;
const statements: ReadonlySet<string> = new Set(["if", "for", "while", "switch", "catch", "return"]);

/** The functions and methods of a source, with their lengths. It relies on the indentation of `deno fmt`. */
function functionsOf(text: string): { name: string; length: number }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, first) => {
    const [, indent, name] = begins.exec(line) ?? [];
    if (indent === undefined || name === undefined || statements.has(name)) return [];
    if (line.includes("=>") && !line.includes("function ")) return [];
    // A long signature ends on the first line that is indented like the function itself.
    const below = (index: number): boolean => index > first && lines[index]!.search(/\S/) === indent.length;
    const body = opens.test(line) ? first : lines.findIndex((_line, index) => below(index));
    if (body < 0 || !opens.test(lines[body]!)) return [];
    const last = lines.findIndex((each, index) => index > body && below(index) && /^\s*\},?$/.test(each));
    return [{ name, length: last - first + 1 }];
  });
}

Deno.test(`functions have at most ${mostLines} lines`, () => {
  const long = files.flatMap(({ name, text }) =>
    functionsOf(text)
      .filter((each) => each.length > mostLines)
      .map((each) => `${name}: ${each.name} has ${each.length} lines`)
  );
  assert.deepEqual(long, []);
});

const mostParameters = 3;
const signature =
  /^\s*(?:export )?(?:(?:static|async|override) )*(?:function\*? |\*?#)?\w+(?:<.*>)?\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?:: [^\n;]+)? \{$/gm;

/** The number of parameters in the text between the brackets of a signature. */
function parameterCount(text: string): number {
  let depth = 0, count = 0, isPending = false;
  for (const [at, character] of [...text].entries()) {
    if ("([{<".includes(character)) depth++;
    else if (")]}".includes(character) || (character === ">" && text[at - 1] !== "=")) depth--;
    if (character === "," && depth === 0) isPending = false;
    else if (!isPending && /\S/.test(character)) {
      isPending = true;
      count++;
    }
  }
  return count;
}

Deno.test(`functions have at most ${mostParameters} positional parameters`, () => {
  const wrong = files.flatMap(({ name, text }) =>
    [...withoutComments(text).matchAll(signature)]
      .filter(([, parameters]) => parameterCount(parameters!) > mostParameters)
      .map(([line]) => `${name}: ${line.trim().split("\n")[0]}`)
  );
  assert.deepEqual(wrong, []);
});

/** The comments of a source, each as one line. */
function commentsOf(text: string): string[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm)]
    .map(([comment]) => comment.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " "));
}

/** `Pinned by "title"`, `Pinned by tests/….ts`, or `Pinned by row "id" of tests/conformance/sets/….ts`, one or more. */
const pins = /(?:[Pp]inned by|and)\s+(?:(row )?"([^"]+)"(?: of)?|(tests\/\S+\.ts))/g;

Deno.test("a comment on Kyverno parity names the test that pins it", () => {
  const paths = sourceFiles(join(root, "tests"));
  const names = new Set(paths.map((path) => relative(root, path)));
  const tests = paths.map((path) => Deno.readTextFileSync(path)).join("\n");
  const isPinned = (comment: string): boolean => {
    const begins = comment.search(/[Pp]inned by/);
    const pin = begins < 0 ? "" : comment.slice(begins);
    const found = [...pin.matchAll(pins)];
    return found.length > 0 && found.every(([, row, title, file]) => {
      if (file !== undefined) return names.has(file);
      // The corpus with the rows is not part of this repository; the set that runs them is.
      return row === undefined ? tests.includes(title!) : /of tests\/conformance\/sets\/\w+\.ts/.test(pin);
    });
  };
  const wrong = files.flatMap(({ name, text }) =>
    commentsOf(text).filter((comment) => comment.includes("Kyverno parity") && !isPinned(comment))
      .map((comment) => `${name}: ${comment.slice(0, 100)}`)
  );
  assert.deepEqual(wrong, []);
});

/** Words that the glossary replaces (docs/GLOSSARY.md, the last table), in comments and in titles of tests. */
const replacedWords =
  /\b[Tt]he reference's\b|\bas in the reference\b|\b(?:surroundings|agenda|patience|lonely|ceases|brought|strangers|amid|[Tt]old|[Tt]ells)\b|\bknows no world\b|\b[Aa]s whom\b|\bFor what\b|\b[Tt]hat which\b|\bthere are those\b|^(?:\/\*\*|\s*\/\/) What\b(?![^.]*\?)/;

Deno.test("comments and titles use the glossary's words: Kyverno is called Kyverno", () => {
  const testFiles = sourceFiles(join(root, "tests")).filter((path) => path !== import.meta.filename)
    .map((path) => ({ name: relative(root, path), text: Deno.readTextFileSync(path) }));
  const wrong = [...files, ...programs, ...testFiles].flatMap(({ name, text }) => {
    const titles = [...text.matchAll(/Deno\.test\(\s*["`]([^"`]+)/g)].map(([, title]) => title!);
    const found = [...commentsOf(text), ...titles].find((each) => replacedWords.test(each));
    return found === undefined ? [] : [`${name}: ${found.slice(0, 100)}`];
  });
  assert.deepEqual(wrong, []);
});

/** Words that `docs/GLOSSARY.md` replaces; an identifier such as `knownPaths` or `isOwn` must not hold them. */
const replacedNames =
  /^(?:known|own|ask|asks|asked|asking|asker|unasked|told|tell|tells|settles?|settled|questions?|worlds?|surroundings|strangers?|brought|lonely|patience|agenda|judges?|judged|judging|places?|placed)$/;

/** Identifiers of JavaScript, of URLs and of JSON output that hold such a word. */
const allowedNames = new Set([
  ...["hasOwn", "ownKeys", "getOwnPropertyNames", "allSettled"],
  ...["questionMark", "endsInQuestionMark"],
  "unasked", // a key in the JSON of `explain`
]);

/**
 * The files of `lib/` in which a subject is a term: User, Group or ServiceAccount of an RBAC binding or of a match
 * block, the holder of a certificate, the artifact of an in-toto statement, the searched argument of a JMESPath
 * function, and a key in the JSON of `explain`.
 */
const subjectFiles =
  /^lib\/(?:registries\/signatures\/|certificates\/|embedded\/(?:rbac|system_objects)|engine\/roles|install\/(?:manifests\/access|export\/match_resources)|jmespath\/|kube\/x509\/|live\/admission\/classic_checks|documents\/(?:image_shape|spec_shape)|live\/admission_policies\/match_constraints|match\/|policy\/|ports\/signatures|report\/explanation|rules\/(?:policy_kinds\/image_attestors|kinds\/verify_images))/;

/** The identifiers of a source text, without its comments, texts and regular expressions. */
function identifiersOf(text: string): Set<string> {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*/g, "$1")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')
    .replace(
      /`[^`]*`/g,
      (template) => [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(" "),
    )
    .replace(/([(,=:[!&|?{};\s])\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g, "$1");
  return new Set(code.match(/[A-Za-z_$][\w$]*/g) ?? []);
}

Deno.test("identifiers use the glossary's words: no known, own, asked, told, question, place, and a subject only where it is a term", () => {
  const others = ["tests", "site"].flatMap((folder) => sourceFiles(join(root, folder)))
    .filter((path) => !path.includes("node_modules") && path !== import.meta.filename)
    .map((path) => ({ name: relative(root, path), text: Deno.readTextFileSync(path) }));
  const wrong = [...files, ...others].flatMap(({ name, text }) => {
    const mayNameSubjects = !name.startsWith("lib/") || subjectFiles.test(name);
    return [...identifiersOf(text)].filter((identifier) => {
      if (allowedNames.has(identifier)) return false;
      const words = (identifier.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) =>
        word.toLowerCase()
      );
      return words.some((word) => replacedNames.test(word) || (!mayNameSubjects && /^subjects?$/.test(word)));
    }).map((identifier) => `${name}: ${identifier}`);
  });
  assert.deepEqual(wrong, []);
});

/** The DeleteOptions of Kubernetes have preconditions, too. */
const deleteOptions = "lib/embedded/delete.ts";

Deno.test("rules are read from their JSON in lib/documents, lib/policy and lib/rules alone", () => {
  const fields =
    "validate|mutate|generate|verifyImages|preconditions|celPreconditions|anyPattern|patchStrategicMerge|" +
    "patchesJson6902|cloneList|matchConstraints|targetMatchConstraints";
  const reads = new RegExp(`\\b(?:field|dig)\\([^;]*?"(?:${fields})"|\\w\\["(?:${fields})"\\]`);
  const readers = files.filter(({ path, name, text }) =>
    !["documents", "policy", "rules"].includes(moduleOf(path)) && name !== deleteOptions &&
    reads.test(withoutComments(text))
  ).map(({ name }) => name);
  assert.deepEqual(readers, []);
});

/** Files that call `JSON.parse`, which reads some names wrongly, and why they may. */
const mayParse: Readonly<Record<string, string>> = {
  "lib/json/json_text.ts": "texts without such names, strings and numbers",
  "lib/json/parse_stages.ts": "one name",
  "lib/cli/apply/exceptions.ts": "lists of controls that Postern wrote",
  "lib/cli/bundle.ts": "a line of the bundle, which Postern wrote",
  "lib/cli/bundle_imports.ts": "Postern's deno.json",
  "lib/install/manifests/access.ts": "lists of texts",
};

Deno.test("JSON is read by parseJsonText, since JSON.parse of V8 15 takes some escaped names for others", () => {
  const parsing = files.filter(({ text }) => withoutComments(text).includes("JSON.parse(")).map(({ name }) =>
    name
  );
  assert.deepEqual(parsing.filter((name) => name.startsWith("lib/")).sort(), Object.keys(mayParse).sort());
});

/** Files with state of their module, and why it may be there. */
const moduleState: Readonly<Record<string, string>> = {
  "lib/cel/work.ts": "a number: the work left to the evaluation under way, which awaits nothing",
  "lib/condition/counters.ts": "a number: tests count compilations",
  "lib/jmespath/regex.ts": "a number: tests count compilations",
  "lib/jmespath/syntax/parse.ts": "a number: tests count compilations",
  "lib/pattern/compilations.ts": "a number: tests count compilations",
  "lib/template/counters.ts": "numbers: tests count compilations",
  "lib/rules/assertion/standard.ts": "compilers made of constants, when a policy first needs them",
  "lib/listener/probe_worker.ts": "the program of a thread",
  "lib/patch/pointer.ts": "some thousand pointers: names of fields, no values",
};

Deno.test("no module keeps state: what a cache or a variable holds goes with its snapshot, request or server", () => {
  // Lists and objects that nobody writes to are typed as such; maps and sets of constants get them when they are made.
  const state =
    /^(?:export )?(?:let|var) |^(?:export )?const \w+(?:: (?!readonly |Readonly)[^=]*)? = (?:\[\]|\{\}|new (?:Weak(?:Map|Set)(?:<.*>)?\(|(?:Map|Set)(?:<.*>)?\(\)|BoundedCache))|^ {2}static #\w+ /m;
  const found = files.filter(({ text }) => state.test(withoutComments(text))).map(({ name }) => name);
  assert.deepEqual(found.toSorted(), Object.keys(moduleState).toSorted());
});

Deno.test("no class extends String: V8 then reads the characters of every text five times as slowly", () => {
  const wrong = files.filter(({ text }) => /\bextends String\b/.test(withoutComments(text)));
  assert.deepEqual(wrong.map(({ name }) => name), []);
});

Deno.test("one type of cache evicts: nothing else drops its oldest entry", () => {
  const evicts =
    /\.delete\(\w+(?:\.#?\w+)*\.keys\(\)\.next\(\)|\.size >=? \w+\) (?:[\w.#]+\.clear\(\)|\{\s*for \([^]{0,200}\.delete\()/;
  assert.deepEqual(files.filter(({ text }) => evicts.test(text)).map(({ name }) => name), []);
});
