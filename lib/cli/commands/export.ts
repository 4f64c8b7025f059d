import { command } from "../command.ts";
import { dialectOption } from "../options.ts";

export const exportPolicies = command({
  name: "export",
  about: "Write rules in CEL as ValidatingAdmissionPolicies, which the API server enforces itself",
  operands: [{
    form: "<path...>",
    about: "files, folders or git addresses of policies; - for standard input",
  }],
  options: dialectOption,
  examples: [
    { does: "print the admission policies", line: "export policies" },
    { does: "install them", line: "export policies | kubectl apply -f -" },
  ],
  async run(paths, options, terminal) {
    const { exportPolicies } = await import("../export.ts");
    return await exportPolicies(paths, options, terminal);
  },
});
