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
