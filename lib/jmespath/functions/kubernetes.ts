import { Fault, type Json } from "../../json/mod.ts";
import {
  compileSemverRange,
  compileWildcard,
  type ImageOptions,
  matchWildcard,
  parseImage,
  parseSemver,
  type SemverRange,
  zeroSemver,
} from "../../kube/mod.ts";
import { functionFault } from "./fault.ts";
import { type FunctionRecord, parameter } from "./record.ts";
import { textOf } from "./text_of.ts";

/** Kyverno's functions of Kubernetes' own texts: wildcards, versions, image names. */
export function kubernetes(images: ImageOptions): readonly FunctionRecord[] {
  return [
    {
      kind: "plain",
      name: "pattern_match",
      parameters: [parameter("pattern", "string"), parameter("subject", "string", "number")],
      returns: ["boolean"],
      cost: matching,
      summary: "Whether a text or number matches a pattern with the wildcards `*` and `?`.",
      examples: [
        { expression: "pattern_match('prefix*', 'prefix-foo')", result: true },
        { expression: "pattern_match('1?3', `123`)", result: true },
      ],
      apply: ([pattern, subject]) => matchWildcard(pattern as string, textOf(subject!) ?? ""),
      prepare: ([pattern]) => {
        if (typeof pattern !== "string") return undefined;
        const matches = compileWildcard(pattern);
        return ([, subject]) => matches(textOf(subject!) ?? "");
      },
    },
    {
      kind: "plain",
      name: "semver_compare",
      parameters: [parameter("version", "string"), parameter("range", "string")],
      returns: ["boolean"],
      summary: "Whether a version is in a range; a text that is no version counts as 0.0.0.",
      examples: [
        { expression: "semver_compare('4.1.3', '>=4.1.x')", result: true },
        { expression: "semver_compare('4.1.3', '!4.x.x')", result: false },
      ],
      apply: ([version, range]) => inRange(version!, compileSemverRange(range as string)),
      prepare: ([, range]) => {
        if (typeof range !== "string") return undefined;
        const compiled = compileSemverRange(range);
        return ([version]) => inRange(version!, compiled);
      },
    },
    {
      kind: "plain",
      name: "image_normalize",
      parameters: [parameter("image", "string")],
      returns: ["string"],
      summary:
        "An image's whole name, with the default registry and tag; beside a digest the tag is dropped.",
      examples: [{ expression: "image_normalize('nginx')", result: "docker.io/nginx:latest" }],
      apply: ([text]) => {
        const image = parseImage(text as string, images);
        return image instanceof Fault
          ? functionFault("image_normalize", image.message)
          : image.reference ?? "";
      },
    },
  ];
}

/** Wildcards take at most pattern times text. */
function matching([pattern, subject]: readonly Json[]): number {
  return typeof pattern === "string" && typeof subject === "string"
    ? (pattern.length * subject.length) / 32
    : 0;
}

function inRange(version: Json, range: SemverRange | Fault): boolean | Fault {
  if (range instanceof Fault) return range;
  const parsed = parseSemver(version as string);
  return range(parsed instanceof Fault ? zeroSemver : parsed);
}
