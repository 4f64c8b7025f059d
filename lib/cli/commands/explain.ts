import { command } from "../command.ts";
import { joined, objectOptions } from "../object_options.ts";

export const explain = command({
  name: "explain",
  about: "Say why rules apply to objects in files or not, and how they decide",
  operands: [{
    form: "<policy...>",
    about: "files, folders or git addresses of policies; - for standard input",
  }],
  options: {
    ...objectOptions,
    review: {
      type: "list",
      value: "path",
      about: "recorded AdmissionReviews, beside objects or instead of them",
    },
    json: { type: "list", value: "path", about: "JSON payloads for policies in CEL" },
    policy: { type: "text", value: "name", about: "only this policy" },
    rule: { type: "text", value: "name", about: "only this rule, and those generated from it" },
    outputFormat: {
      type: "text",
      value: "format",
      about: "for people or for programs",
      choices: ["text", "json", "html"],
      default: "text",
    },
    output: {
      type: "text",
      short: "o",
      value: "format",
      about: "the same as --output-format",
      choices: ["text", "json", "html"],
      hidden: true,
    },
  },
  examples: [
    { does: "say how each rule decides about a Pod", line: "explain policies -r pod.yaml" },
    { does: "write it as a page", line: "explain policies -r pod.yaml -o html > why.html" },
    {
      does: "say why a recorded request was denied",
      line: "explain policies --review review.json --policy disallow-latest-tag",
    },
  ],
  async run(policies, options, terminal) {
    const { explain } = await import("../explain.ts");
    const { output, outputFormat } = options;
    return await explain({ ...joined(options), policies, outputFormat: output ?? outputFormat }, terminal);
  },
});
