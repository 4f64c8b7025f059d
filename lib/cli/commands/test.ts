import { command } from "../command.ts";
import { dialectOption, imageOptions } from "../options.ts";

export const test = command({
  name: "test",
  about: "Run the tests of policies",
  operands: [{
    form: "<dir...>",
    about: "folders or git addresses that hold tests, at any depth; or files of tests",
  }],
  options: {
    fileName: {
      type: "text",
      short: "f",
      value: "name",
      about: "name of test files",
      default: "kyverno-test.yaml",
    },
    testCaseSelector: {
      type: "text",
      short: "t",
      value: "selector",
      about: "which results: policy=NAME,rule=NAME,resource=NAME",
      default: "policy=*,rule=*,resource=*",
    },
    outputFormat: {
      type: "text",
      short: "o",
      value: "format",
      about: "for other programs",
      choices: ["json", "yaml", "markdown", "junit", "sarif", "github"],
    },
    failOnly: { type: "flag", about: "show failing rows only" },
    detailedResults: { type: "flag", about: "show what rules said" },
    output: {
      type: "texts",
      value: "format=path",
      about:
        "write a document for other programs to a file: json, yaml, markdown, junit, sarif or github; may be repeated",
    },
    gitBranch: { type: "text", short: "b", value: "name", about: "branch of tests in a git repository" },
    watch: { type: "flag", about: "run again whenever files change, until Ctrl-C" },
    requireTests: { type: "flag", about: "Postern always fails when there are no tests", hidden: true },
    removeColor: { type: "flag", about: "no colours" },
    registry: { type: "flag", about: "look up images that a test does not describe in their registries" },
    recordImages: {
      type: "flag",
      about: "as --registry, and write recorded-images.json beside each test, which answers from then on",
    },
    ...imageOptions,
    strict: { type: "flag", about: "count remarks, such as misspelt names, as failures" },
    ...dialectOption,
  },
  examples: [
    { does: "run all tests below a folder", line: "test policies" },
    {
      does: "run the tests of one policy, for a CI server",
      line: "test policies -t policy=require-labels -o junit",
    },
    {
      does: "record the signed images that tests are about, to test without a registry",
      line: "test policies --record-images",
    },
  ],
  async run(paths, options, terminal) {
    const { test } = await import("../test/run.ts");
    return await test({ ...options, paths }, terminal);
  },
});
