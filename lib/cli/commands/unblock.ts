import { command } from "../command.ts";

export const unblock = command({
  name: "unblock",
  about: "Remove the webhooks that call Postern from a cluster whose requests wait for it",
  options: {
    kubeconfig: { type: "text", value: "file", about: "the cluster ($KUBECONFIG)" },
    context: { type: "text", value: "name", about: "context of the kubeconfig" },
    service: {
      type: "text",
      value: "namespace/name",
      about: "the service that the webhooks call",
      default: "postern/postern",
    },
    dryRun: { type: "flag", about: "say what would be removed" },
  },
  examples: [
    { does: "let requests through again", line: "unblock" },
    { does: "see what would go", line: "unblock --dry-run --service gate/postern" },
  ],
  async run(_, options, terminal) {
    const { unblock } = await import("../unblock.ts");
    return await unblock(options, terminal);
  },
});
