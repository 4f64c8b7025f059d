import { command } from "../command.ts";

const save = { save: { type: "flag", about: "write the files; otherwise they are printed" } } as const;

export const fixTest = command({
  name: "fix test",
  about: "Bring test files to the current format; comments stay",
  operands: [{ form: "<dir...>", about: "folders that hold tests, at any depth" }],
  options: {
    ...save,
    fileName: {
      type: "text",
      short: "f",
      value: "name",
      about: "name of test files",
      default: "kyverno-test.yaml",
    },
    force: { type: "flag", about: "Postern never writes a file that it cannot read", hidden: true },
    compress: { type: "flag", about: "join results that differ in their resources only" },
  },
  examples: [
    { does: "show what would change", line: "fix test policies" },
    { does: "change it", line: "fix test policies --save --compress" },
  ],
  async run(paths, options, terminal) {
    const { fixTests } = await import("../fix.ts");
    return await fixTests({ ...options, paths }, terminal);
  },
});

export const fixPolicy = command({
  name: "fix policy",
  about: "Bring policies to the current format; comments stay",
  operands: [{ form: "<path...>", about: "files and folders of policies" }],
  options: save,
  examples: [
    { does: "show what would change", line: "fix policy policies" },
    { does: "change it", line: "fix policy policies/old.yaml --save" },
  ],
  async run(paths, options, terminal) {
    const { fixPolicies } = await import("../fix.ts");
    return await fixPolicies({ ...options, paths }, terminal);
  },
});
