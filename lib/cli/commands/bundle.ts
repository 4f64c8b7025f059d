import { command } from "../command.ts";
import { dialectOption, policyFileOptions } from "../options.ts";

export const bundle = command({
  name: "bundle",
  about: "Write one JavaScript file that holds engine and policies",
  options: {
    ...policyFileOptions,
    out: { type: "text", value: "file", about: "where to write it", default: "dist/postern.js" },
    minify: { type: "flag", about: "make it smaller" },
    ...dialectOption,
  },
  examples: [
    { does: "make a server of one file", line: "bundle --policies policies --out dist/postern.js" },
    {
      does: "make it smaller, for an edge platform",
      line: "bundle --policies policies --out edge.js --minify",
    },
  ],
  async run(_, options, terminal) {
    const { bundle } = await import("../bundle.ts");
    return await bundle(options, terminal);
  },
});
