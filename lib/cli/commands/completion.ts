import { command } from "../command.ts";

export const completion = command({
  name: "completion",
  about: "Print a script that completes command lines: bash, zsh, fish or powershell",
  operands: ["<shell>"],
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
    return printCompletion(shell, terminal);
  },
});
