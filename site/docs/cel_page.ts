import {
  describeType,
  imageVerifyLibrary,
  kubernetesLibraries,
  kyvernoLibraries,
  kyvernoLibrariesFor,
  type Library,
  mutatingLibraries,
  orValueLibrary,
  standardLibrary,
} from "../../lib/cel/mod.ts";
import { code, type Page, table } from "./page.ts";

type Group = readonly [heading: string, libraries: readonly Library[]];

/** Every library that some kind of policy has, each under the first heading that has it. */
function groups(): readonly Group[] {
  const shown = new Set<string>();
  const all: readonly Group[] = [
    ["In every expression", [standardLibrary("kubernetes"), ...kubernetesLibraries, orValueLibrary]],
    ["In Kyverno's policies", kyvernoLibraries],
    ["In policies that mutate", [...mutatingLibraries, ...kyvernoLibrariesFor({ purpose: "mutate" })]],
    ["In policies that generate", kyvernoLibrariesFor({ purpose: "generate" })],
    ["In ImageValidatingPolicies", [imageVerifyLibrary]],
  ];
  return all.map(([heading, libraries]) => {
    const further = libraries.filter(({ name }) => {
      const isNew = !shown.has(name);
      shown.add(name);
      return isNew;
    });
    return [heading, further];
  });
}

/** Every CEL library with the signatures of its functions. */
export function celPage(): Page {
  const parts = groups().flatMap(([heading, libraries]) => [
    `## ${heading}`,
    ...libraries.map((library) => `### ${library.name}\n\n${libraryText(library)}`),
  ]);
  return {
    path: "reference/cel.md",
    section: "Reference",
    title: "CEL libraries",
    text: [
      "# CEL libraries",
      "`postern cel check` shows the type of an expression, `postern cel eval` its value. `A`, `B` stand for any type.",
      ...parts,
    ].join("\n\n") + "\n",
  };
}

function libraryText({ functions, macros = [], constants = {} }: Library): string {
  const rows = [
    ...functions.map(functionRow),
    ...macros.map(macroRow),
    ...Object.entries(constants).map((
      [name, { type }],
    ) => [code(name), `constant: ${code(describeType(type))}`]),
  ];
  return rows.length === 0 ? "Syntax and types." : table(["name", "what it takes → what it gives"], rows);
}

function functionRow({ name, overloads }: Library["functions"][number]): readonly string[] {
  const written = overloads.map((each) => code(signature(name, each)));
  return [code(isOperator(name) ? operatorText(name) : name), written.join("<br>")];
}

function macroRow({ name, style, arity }: NonNullable<Library["macros"]>[number]): readonly string[] {
  return [code(name), `macro, ${style === "method" ? "on a value" : "called"}, ${argumentsOf(arity)}`];
}

function argumentsOf(arity: number | "any"): string {
  if (arity === "any") return "any number of arguments";
  return arity === 1 ? "1 argument" : `${arity} arguments`;
}

type Overload = Library["functions"][number]["overloads"][number];

/** How an overload is written, with types for values: `string.find(string) → string`, `int + int → int`. */
function signature(name: string, { style, parameters, result }: Overload): string {
  const types = parameters.map(describeType);
  const [receiver, ...others] = types;
  const written = isOperator(name)
    ? operatorText(name).replace(/_/g, () => types.shift()!)
    : style === "method"
    ? `${receiver}.${name}(${others.join(", ")})`
    : `${name}(${types.join(", ")})`;
  return `${written} → ${describeType(result)}`;
}

/** Operators are functions under names with a `_` for each operand. */
function isOperator(name: string): boolean {
  return name === "@in" || /^_|_$/.test(name);
}

/** An operator with `_` for its operands, as expressions have it. */
function operatorText(name: string): string {
  if (name === "@in") return "_ in _";
  return name === "_?_:_" ? "_ ? _ : _" : name.replace(/^_([^[_]+)_$/, "_ $1 _");
}
