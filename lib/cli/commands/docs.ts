import { command, type CommandRecord } from "../command.ts";

/** Makes the command. It receives the table of commands as a function, because the table contains this command. */
export const docs = (commands: () => readonly CommandRecord[]): CommandRecord =>
  command({
    name: "docs",
    about: "Write a page of Markdown for each command",
    options: {
      output: { type: "text", short: "o", value: "folder", about: "where to write them", required: true },
      website: { type: "flag", about: "with front matter, for a website" },
      autogenTag: {
        type: "flag",
        long: "autogenTag",
        about: "Postern's pages hold no time",
        hidden: true,
        default: true,
      },
      noDate: { type: "flag", long: "noDate", about: "Postern's pages hold no date", hidden: true },
      markdownLinks: {
        type: "flag",
        long: "markdownLinks",
        about: "Postern's pages always link to each other",
        hidden: true,
      },
    },
    examples: [
      { does: "write the pages", line: "docs -o docs/commands" },
      { does: "write them for a website", line: "docs -o content/commands --website" },
    ],
    async run(_, options, terminal) {
      const { docs } = await import("../docs.ts");
      return await docs(options, commands(), terminal);
    },
  });
