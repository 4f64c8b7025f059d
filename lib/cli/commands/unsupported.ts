import type { CommandRecord } from "../command.ts";

/** Commands of Kyverno's command line that Postern does not support, and what to use instead. */
const instead: readonly (readonly [name: string, about: string, instead: string])[] = [
  [
    "oci push",
    "Push policies to an image registry",
    "push the files with oras, or keep them in a git repository",
  ],
  ["oci pull", "Pull policies from an image registry", "pull the files with oras, or name a git repository"],
  [
    "migrate",
    "Migrate stored custom resources",
    "Postern stores no custom resources; those of Kyverno are migrated by Kyverno's own command",
  ],
  ["create metrics-config", "Write a ConfigMap for metrics", "Postern's metrics need no configuration"],
  [
    "create cluster-role",
    "Write a ClusterRole for Kyverno's controllers",
    "postern manifests writes the roles that the policies need",
  ],
];

export const unsupportedCommands: readonly CommandRecord[] = instead.map(([name, about, use]) => ({
  name,
  about,
  operands: [{ form: "[anything...]", about: "what Kyverno's command takes" }],
  options: {},
  examples: [{ does: about, line: name }, { does: "what to use instead", line: `${name} --help` }],
  run: (_operands, _options, terminal) => {
    terminal.err(`error: not supported: ${name}; ${use}`);
    return Promise.resolve(2);
  },
}));
