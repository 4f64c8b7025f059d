import { command } from "../command.ts";

export const trustUpdate = command({
  name: "trust update",
  about: "Fetch sigstore's trusted root from a TUF repository",
  options: {
    mirror: { type: "text", value: "url", about: "the TUF repository; sigstore's public one by default" },
    root: { type: "text", value: "file", about: "the TUF root that the repository is trusted by" },
    out: {
      type: "text",
      short: "o",
      value: "file",
      about: "where to write the trusted root",
      default: "trusted-root.json",
    },
  },
  examples: [
    { does: "fetch what sigstore's public instance is trusted by", line: "trust update" },
    {
      does: "fetch from a private instance, and use it",
      line: "trust update --mirror https://tuf.example --root root.json --out trusted-root.json",
    },
  ],
  async run(_, options, terminal) {
    const { updateTrust } = await import("../trust.ts");
    return await updateTrust(options, terminal);
  },
});
