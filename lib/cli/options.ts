import type { OptionTable } from "./command.ts";

/** Options that several commands have. */
export const dialectOption = {
  dialect: {
    type: "text",
    value: "dialect",
    about: "which behaviour applies where Kyverno's documentation and its program differ",
    choices: ["classic", "current"],
    default: "classic",
  },
} as const satisfies OptionTable;

/** The policies of commands that have no operand for them. */
export const policyFileOptions = {
  policies: { type: "list", value: "path", about: "files and folders of policies", default: ["policies"] },
  exceptions: { type: "list", value: "path", about: "files and folders of policy exceptions", default: [] },
} as const satisfies OptionTable;

/** How the command looks up images. */
export const imageOptions = {
  trustedRoot: {
    type: "list",
    value: "file",
    about:
      "sigstore's trusted root instead of the public one; MIRROR=FILE for policies that name a TUF mirror",
    default: [],
  },
  searchLogs: {
    type: "flag",
    about: "look up signatures without a log entry in the transparency log that the policy names",
  },
} as const satisfies OptionTable;

/** Images from a recording, or a recording of images. */
export const recordingOptions = {
  recordedImages: {
    type: "text",
    value: "file",
    about: "images as --record-images or test --record-images recorded them; no registry is called",
  },
  recordImages: { type: "text", value: "file", about: "write what registries answer to a file" },
} as const satisfies OptionTable;
