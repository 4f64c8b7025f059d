import { command, type CommandRecord } from "../command.ts";

/**
 * Makes the command. It receives the table of commands as a function, because the table contains this command, and with
 * it the help texts of groups of commands.
 */
export const completion = (
  table: () => {
    readonly commands: readonly CommandRecord[];
    readonly groups: Readonly<Record<string, string>>;
  },
): CommandRecord =>
  command({
    name: "completion",
    about: "Print a script that completes command lines: bash, zsh, fish or powershell",
    operands: [{
      form: "<shell>",
      about: "bash, zsh, fish or powershell",
      choices: async () => (await import("../completion.ts")).shells,
    }],
    options: {},
    examples: [
      {
        does: "complete in this bash",
        line: "completion bash > /tmp/postern.bash && source /tmp/postern.bash",
      },
      { does: "complete in every fish", line: "completion fish > ~/.config/fish/completions/postern.fish" },
    ],
    async run([shell = ""], _, terminal) {
      const { printCompletion } = await import("../completion.ts");
      return await printCompletion(shell, table(), terminal);
    },
  });
