import { command } from "../command.ts";

export const jpQuery = command({
  name: "jp query",
  about: "Evaluate expressions on an object",
  operands: [{ form: "[expression...]", about: "expressions in JMESPath, each in quotes" }],
  options: {
    input: { type: "text", short: "i", value: "file", about: "YAML or JSON; standard input otherwise" },
    query: {
      type: "list",
      short: "q",
      value: "file",
      about: "files that hold an expression each",
      default: [],
    },
    compact: { type: "flag", short: "c", about: "JSON without white space" },
    unquoted: { type: "flag", short: "u", about: "a text without quotes" },
  },
  examples: [
    { does: "read a part of an object", line: "jp query -i pod.yaml 'spec.containers[].image'" },
    { does: "try a function of Kyverno's", line: 'jp query -i pod.yaml "to_upper(metadata.name)"' },
  ],
  async run(queries, { query: files, ...options }, terminal) {
    const { jpQuery } = await import("../jp.ts");
    return await jpQuery({ queries, files, ...options }, { terminal });
  },
});

export const jpFunction = command({
  name: "jp function",
  about: "Describe functions, all or some",
  operands: [{
    form: "[name...]",
    about: "names of functions",
    choices: async () => (await import("../jp.ts")).functionNames(),
  }],
  options: {},
  examples: [
    { does: "describe all functions", line: "jp function" },
    { does: "describe two of them", line: "jp function truncate semver_compare" },
  ],
  async run(names, _, terminal) {
    const { jpFunction } = await import("../jp.ts");
    return jpFunction(names, { terminal });
  },
});

export const jpParse = command({
  name: "jp parse",
  about: "Print the trees of expressions",
  operands: [{ form: "[expression...]", about: "expressions in JMESPath, each in quotes" }],
  options: {
    file: {
      type: "list",
      short: "f",
      value: "file",
      about: "files that hold an expression each",
      default: [],
    },
  },
  examples: [
    { does: "print the tree of an expression", line: "jp parse 'request.object.metadata.name'" },
    { does: "print the tree of an expression in a file", line: "jp parse -f expression.txt" },
  ],
  async run(expressions, { file: files }, terminal) {
    const { jpParse } = await import("../jp.ts");
    return await jpParse({ expressions, files }, { terminal });
  },
});
