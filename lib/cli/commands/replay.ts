import { command } from "../command.ts";
import { dialectOption } from "../options.ts";

export const replay = command({
  name: "replay",
  about: "Decide recorded AdmissionReviews again, and say which answers differ from the recorded ones",
  operands: [{ form: "<review...>", about: "files and folders of recorded AdmissionReviews" }],
  options: {
    policies: { type: "list", value: "path", about: "files and folders of policies", default: ["policies"] },
    exceptions: { type: "list", value: "path", about: "files and folders of policy exceptions" },
    clusterObjects: { type: "list", value: "path", about: "objects that stand for a cluster" },
    kubeconfig: { type: "text", value: "file", about: "policies look up objects in this cluster" },
    ...dialectOption,
  },
  examples: [
    { does: "try changed policies on yesterday's requests", line: "replay records --policies policies" },
    {
      does: "decide one request again",
      line: "replay records/0001.json --policies policy.yaml --dialect current",
    },
  ],
  async run(reviews, options, terminal) {
    const { replay } = await import("../replay.ts");
    return await replay({ ...options, reviews }, terminal);
  },
});
