import { Fault, type Json } from "../../json/mod.ts";
import { compileSemverRange, parseSemver, type SemverRange, zeroSemver } from "../../kube/mod.ts";
import { perCharacter } from "../costs.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

/** Kyverno's function of semantic versions. */
export const versions: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "semver_compare",
    parameters: [parameter("version", "string"), parameter("range", "string")],
    returns: ["boolean"],
    // The range may be another one in each call.
    steps: 50,
    cost: ([version], limit) => perCharacter(2)([version!], limit),
    apply: ([version, range]) => inRange(version!, compileSemverRange(range as string)),
    prepare: ([, range]) => {
      if (typeof range !== "string") return undefined;
      const compiled = compileSemverRange(range);
      return ([version]) => inRange(version!, compiled);
    },
  },
];

function inRange(version: Json, range: SemverRange | Fault): boolean | Fault {
  if (range instanceof Fault) return range;
  const parsed = parseSemver(version as string);
  return range(parsed instanceof Fault ? zeroSemver : parsed);
}

/** The notes of these functions. */
export const versionNotes: FunctionNotes = {
  semver_compare: {
    summary: "Whether a version is in a range; a text that is no version counts as 0.0.0.",
    examples: [
      { expression: "semver_compare('4.1.3', '>=4.1.x')", result: true },
      { expression: "semver_compare('4.1.3', '!4.x.x')", result: false },
    ],
  },
};
