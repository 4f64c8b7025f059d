import type { OptionTable } from "./command.ts";
import { dialectOption, imageOptions, recordingOptions } from "./options.ts";

/** Options of commands that apply policies to objects. */
export const objectOptions = {
  resource: {
    type: "list",
    short: "r",
    value: "path",
    about: "files, folders and addresses of objects; - for standard input",
  },
  resources: { type: "list", value: "path", about: "the same as --resource", hidden: true },
  valuesFile: {
    type: "text",
    short: "f",
    value: "file",
    about: "values for variables (cli.kyverno.io Values)",
  },
  set: { type: "list", short: "s", value: "name=value", about: "values for variables, one by one" },
  userinfo: {
    type: "text",
    short: "u",
    value: "file",
    about: "the user of the request (cli.kyverno.io UserInfo)",
  },
  contextFile: {
    type: "text",
    value: "file",
    about: "objects and images that policies in CEL look up (cli.kyverno.io Context)",
  },
  exception: { type: "list", short: "e", value: "path", about: "policy exceptions" },
  exceptions: { type: "list", value: "path", about: "the same as --exception", hidden: true },
  exceptionsWithinPolicies: { type: "flag", about: "PolicyExceptions among the policies count" },
  exceptionsWithinResources: { type: "flag", about: "PolicyExceptions among the resources count" },
  exceptionsWithResources: { type: "flag", about: "the same as --exceptions-within-resources", hidden: true },
  targetResource: {
    type: "list",
    value: "path",
    about: "objects that rules for existing objects may change",
  },
  targetResources: { type: "list", value: "path", about: "the same as --target-resource", hidden: true },
  parameterResource: { type: "list", value: "path", about: "parameters of admission policies" },
  clusterObjects: { type: "list", value: "path", about: "objects that stand for a cluster" },
  cluster: { type: "flag", short: "c", about: "check the objects of the cluster that the kubeconfig names" },
  kubeconfig: {
    type: "text",
    value: "file",
    about: "policies look up objects in this cluster ($KUBECONFIG)",
  },
  context: { type: "text", value: "name", about: "context of the kubeconfig" },
  namespace: {
    type: "text",
    short: "n",
    value: "name",
    about: "only objects of this namespace, with --cluster",
  },
  clusterWideResources: {
    type: "flag",
    about: "with --cluster: objects of no namespace, and with -n those of that one",
  },
  concurrent: { type: "number", value: "number", about: "lists that are read at the same time", default: 1 },
  batchSize: { type: "number", value: "number", about: "objects of one answer of the cluster", default: 100 },
  registry: { type: "flag", about: "look up images in their registries" },
  gitBranch: { type: "text", short: "b", value: "name", about: "branch of policies in a git repository" },
  username: { type: "text", value: "name", about: "user of the git repository" },
  password: { type: "text", value: "text", about: "password of the git repository" },
  ...imageOptions,
  ...recordingOptions,
  ...dialectOption,
} as const satisfies OptionTable;

/** Merges the values of options that have several names. */
export function joined<
  T extends {
    readonly resource: readonly string[];
    readonly resources: readonly string[];
    readonly exception: readonly string[];
    readonly exceptions: readonly string[];
    readonly targetResource: readonly string[];
    readonly targetResources: readonly string[];
    readonly exceptionsWithinResources: boolean;
    readonly exceptionsWithResources: boolean;
  },
>(options: T): T {
  return {
    ...options,
    resource: [...options.resource, ...options.resources],
    exception: [...options.exception, ...options.exceptions],
    targetResource: [...options.targetResource, ...options.targetResources],
    exceptionsWithinResources: options.exceptionsWithinResources || options.exceptionsWithResources,
  };
}
