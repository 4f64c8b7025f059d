import { command } from "../command.ts";
import { dialectOption } from "../options.ts";

export const lint = command({
  name: "lint",
  about: "Say what is wrong with policies",
  operands: [{
    form: "<path...>",
    about: "files, folders or git addresses of policies; - for standard input",
  }],
  options: dialectOption,
  examples: [
    { does: "check all policies of a folder", line: "lint policies" },
    { does: "check a policy from standard input", line: "lint - < policy.yaml" },
  ],
  async run(paths, options, terminal) {
    const { lint } = await import("../lint.ts");
    return await lint(paths, options, terminal);
  },
});
