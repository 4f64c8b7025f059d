import type { OptionTable } from "./command.ts";
import { dialectOption, imageOptions } from "./options.ts";

/** Options of commands that apply policies to objects in files. */
export const objectOptions = {
  resource: { type: "list", short: "r", value: "path", about: "files and folders of objects", default: [] },
  valuesFile: {
    type: "text",
    short: "f",
    value: "file",
    about: "values for variables (cli.kyverno.io Values)",
  },
  userinfo: {
    type: "text",
    short: "u",
    value: "file",
    about: "the user of the request (cli.kyverno.io UserInfo)",
  },
  exceptions: { type: "list", short: "e", value: "path", about: "policy exceptions", default: [] },
  cluster: {
    type: "list",
    value: "path",
    about: "objects that stand for a cluster, as files and folders",
    default: [],
  },
  kubeconfig: { type: "text", value: "file", about: "a live cluster instead" },
  ...imageOptions,
  ...dialectOption,
} as const satisfies OptionTable;
