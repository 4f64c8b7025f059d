import { command } from "../command.ts";
import { dialectOption, policyFileOptions } from "../options.ts";

export const bundle = command({
  name: "bundle",
  about: "Write one JavaScript file that holds engine and policies",
  options: {
    ...policyFileOptions,
    out: {
      type: "text",
      value: "file",
      about: "where to write it (dist/postern.js; dist/postern.mjs for node and lambda)",
    },
    target: {
      type: "text",
      value: "platform",
      about: "what runs the file",
      choices: ["deno", "workerd", "node", "lambda"],
      default: "deno",
    },
    minify: { type: "flag", about: "make it smaller" },
    ...dialectOption,
  },
  examples: [
    { does: "make a server of one file", line: "bundle --policies policies --out dist/postern.js" },
    {
      does: "make a handler for AWS Lambda",
      line: "bundle --policies policies --out dist/edge.mjs --target lambda",
    },
    {
      does: "make a small one for Cloudflare Workers",
      line: "bundle --policies policies --out edge.js --target workerd --minify",
    },
  ],
  async run(_, options, terminal) {
    const { bundle } = await import("../bundle.ts");
    return await bundle(options, terminal);
  },
});
