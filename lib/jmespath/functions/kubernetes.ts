import { Fault, type Json } from "../../json/mod.ts";
import { compileWildcard, type ImageOptions, matchWildcard, parseImage } from "../../kube/mod.ts";
import { perCharacter } from "../costs.ts";
import { functionFault } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";
import { textOf } from "./text_of.ts";

/** Kyverno's functions of Kubernetes' own texts: wildcards and image names. */
export function kubernetes(images: ImageOptions): readonly FunctionRecord[] {
  return [
    {
      kind: "plain",
      name: "pattern_match",
      parameters: [parameter("pattern", "string"), parameter("subject", "string", "number")],
      returns: ["boolean"],
      cost: matchingWildcard,
      apply: ([pattern, subject]) => matchWildcard(pattern as string, textOf(subject!) ?? ""),
      prepare: ([pattern]) => {
        if (typeof pattern !== "string") return undefined;
        const matches = compileWildcard(pattern);
        return ([, subject]) => matches(textOf(subject!) ?? "");
      },
    },
    {
      kind: "plain",
      name: "image_normalize",
      parameters: [parameter("image", "string")],
      returns: ["string"],
      cost: () => stepsOfImage,
      apply: ([text]) => {
        const image = parseImage(text as string, images);
        return image instanceof Fault
          ? functionFault("image_normalize", image.message)
          : image.reference ?? "";
      },
    },
  ];
}

/** The steps of parsing an image: most of a microsecond. */
const stepsOfImage = 16;

/**
 * The cost of a wildcard: at worst each character of the pattern meets each of the text. A long pattern is read before
 * that.
 */
export function matchingWildcard([pattern, subject]: readonly Json[], limit: number): number {
  const reading = perCharacter(2)([pattern!], limit);
  return typeof pattern === "string" && typeof subject === "string"
    ? reading + (pattern.length * subject.length) / 32
    : reading;
}

/** The notes of these functions. */
export const kubernetesNotes: FunctionNotes = {
  pattern_match: {
    summary: "Whether a text or number matches a pattern with the wildcards `*` and `?`.",
    examples: [
      { expression: "pattern_match('prefix*', 'prefix-foo')", result: true },
      { expression: "pattern_match('1?3', `123`)", result: true },
    ],
  },
  image_normalize: {
    summary: "An image's whole name, with the default registry and tag; beside a digest the tag is dropped.",
    examples: [{ expression: "image_normalize('nginx')", result: "docker.io/nginx:latest" }],
  },
};
