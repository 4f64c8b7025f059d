import { command } from "../command.ts";

export const version = command({
  name: "version",
  about: "Print the version",
  options: {
    output: {
      type: "text",
      short: "o",
      value: "format",
      about: "for other programs",
      choices: ["json", "yaml"],
    },
  },
  examples: [
    { does: "print the version", line: "version" },
    { does: "print it as JSON", line: "version -o json" },
  ],
  async run(_, { output }, terminal) {
    const { printVersion } = await import("../version.ts");
    return printVersion(output, terminal);
  },
});
