import { isCelFault } from "../../cel/mod.ts";
import {
  asList,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  type StepBudget,
} from "../../json/mod.ts";
import { podTemplatePaths } from "../../kube/mod.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";
import { compileGlob } from "./glob.ts";

/** An image of an object, with the pointer to its text where that is in a container. */
export interface PolicyImage {
  readonly text: string;
  readonly pointer: string | undefined;
}

/** Images by the list in which expressions find them: `containers`, `initContainers`, or a list of the policy. */
export type ImageLists = Readonly<Record<string, readonly PolicyImage[]>>;

const groups = ["containers", "initContainers", "ephemeralContainers"] as const;

/** Compiles the images that a policy reads from an object: those of `spec.images`, besides the containers of Pods. */
export function compileImageLists(
  written: Json | undefined,
  expressions: ExpressionSet,
): (object: JsonObject | undefined, evaluation: CelEvaluation) => ImageLists | Fault {
  const expressionImages = asList(written).filter(isObject).map((entry, index) => ({
    name: asString(entry["name"]) ?? "",
    program: expressions.compile(asString(entry["expression"]) ?? "", [
      "spec",
      "images",
      index,
      "expression",
    ], wanted.any),
  }));
  return (object, evaluation) => {
    const lists: Record<string, readonly PolicyImage[]> = containerImages(object);
    for (const { name, program } of expressionImages) {
      const value = program === undefined ? [] : evaluation.evaluate(program);
      if (isCelFault(value)) return new Fault(value.message);
      const texts = Array.isArray(value) ? value : [value];
      lists[name] = texts.flatMap((text) =>
        typeof text === "string" && text !== "" ? [{ text, pointer: undefined }] : []
      );
    }
    return lists;
  };
}

function containerImages(object: JsonObject | undefined): Record<string, readonly PolicyImage[]> {
  const template = podTemplatePaths.get(asString(object?.["kind"]) ?? "");
  const path = [...template ?? [], "spec"];
  const spec = template === undefined ? undefined : dig(object, ...path);
  return Object.fromEntries(groups.map((group) => [
    group,
    asList(field(spec, group)).flatMap((container, index) => {
      const text = asString(field(container, "image")) ?? "";
      return text === "" ? [] : [{ text, pointer: `/${[...path, group, index, "image"].join("/")}` }];
    }),
  ]));
}

/** The evaluation of expressions about images, and the steps that comparing images with globs may take. */
export interface ImageMatching {
  readonly evaluation: CelEvaluation;
  readonly steps: StepBudget;
}

/** Whether a policy matches an image; a fault when an expression fails. */
export type MatchesImage = (image: string, matching: ImageMatching) => boolean | Fault;

/** Compiles `matchImageReferences`: globs, and expressions over `ref`. A policy without any matches every image. */
export function compileImageReferences(written: Json | undefined, expressions: ExpressionSet): MatchesImage {
  const tests = asList(written).filter(isObject).map((entry, index): MatchesImage => {
    const glob = asString(entry["glob"]) ?? "";
    if (glob !== "") {
      const isMatch = compileGlob(glob);
      return (image, { steps }) => isMatch(image, steps);
    }
    const path = ["spec", "matchImageReferences", index, "expression"];
    const program = expressions.compile(asString(entry["expression"]) ?? "", path, wanted.bool);
    return (image, { evaluation }) => {
      if (program === undefined) return false;
      const value = evaluation.evaluateWith(program, (name) => name === "ref" ? image : undefined);
      return isCelFault(value) ? new Fault(value.message) : value === true;
    };
  });
  if (tests.length === 0) return () => true;
  return (image, matching) => {
    for (const test of tests) {
      const verdict = test(image, matching);
      if (isFault(verdict) || verdict) return verdict;
    }
    return false;
  };
}
