import {
  type CelType,
  dynType,
  isCelFault,
  isDynamic,
  isListValue,
  listType,
  type Result,
  sameType,
  stringType,
  typeName,
  typeNameOf,
} from "../../cel/mod.ts";
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
} from "../../json/mod.ts";
import { imageSearchOrder, podTemplatePaths } from "../../kube/mod.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";

/** An image of an object, with the pointer to its text where that is in a container. */
export interface PolicyImage {
  readonly text: string;
  readonly pointer: string | undefined;
}

/** Images by the list in which expressions find them: `containers`, `initContainers`, or a list of the policy. */
export type ImageLists = Readonly<Record<string, readonly PolicyImage[]>>;

/** Returns the images of an object; a fault when one of them cannot be read. */
export type ReadImageLists = (
  object: JsonObject | undefined,
  evaluation: CelEvaluation,
) => ImageLists | Fault;

/**
 * Compiles the images that a policy reads from an object: those of `spec.images`, besides the containers of Pods.
 * Kyverno parity: a value that is not a list of strings is a fault, so that no image escapes, and a list may replace
 * that of the containers. Pinned by tests/rules/verify_images/image_lists_test.ts.
 */
export function compileImageLists(written: Json | undefined, expressions: ExpressionSet): ReadImageLists {
  const expressionImages = asList(written).filter(isObject).map((entry, index) => {
    const path = ["spec", "images", index, "expression"];
    const text = asString(entry["expression"]) ?? "";
    const program = expressions.compile(text, path, wanted.any);
    if (program !== undefined && !mayBeTexts(program.type)) {
      const message = `CEL: must give list(string), but gives ${typeName(program.type)}`;
      expressions.reject({ path, text, cause: "output is expected to be of type list" }, message);
    }
    return { name: asString(entry["name"]) ?? "", program };
  });
  const names = new Set(expressionImages.map(({ name }) => name));
  return (object, evaluation) => {
    const lists: Record<string, readonly PolicyImage[]> = {};
    for (const [group, images] of Object.entries(containerImages(object))) {
      if (names.has(group)) continue;
      if (images.some(({ text }) => text === undefined)) return new Fault("no such key: image");
      lists[group] = images.map(({ text = "", pointer }) => ({ text, pointer }));
    }
    for (const { name, program } of expressionImages) {
      const texts = program === undefined ? [] : textsOf(evaluation.evaluate(program));
      if (isFault(texts)) return texts;
      lists[name] = texts.map((text) => ({ text, pointer: undefined }));
    }
    return lists;
  };
}

function mayBeTexts(type: CelType): boolean {
  return isDynamic(type) || [listType(stringType), listType(dynType)].some((each) => sameType(each, type));
}

function textsOf(value: Result): readonly string[] | Fault {
  if (isCelFault(value)) return new Fault(value.message);
  if (!isListValue(value)) return new Fault(`the images must be a list, and are a ${typeNameOf(value)}`);
  const texts: string[] = [];
  for (const text of value) {
    if (typeof text !== "string") return new Fault(`an image must be a string, and is a ${typeNameOf(text)}`);
    texts.push(text);
  }
  return texts;
}

/** The image of a container; its text is absent when the container has none. */
export interface ContainerImage {
  readonly text: string | undefined;
  readonly pointer: string;
}

/** The images of an object's containers, by group; empty for kinds without containers. */
export function containerImages(
  object: JsonObject | undefined,
): Readonly<Record<string, readonly ContainerImage[]>> {
  const template = podTemplatePaths.get(asString(object?.["kind"]) ?? "");
  const path = [...template ?? [], "spec"];
  const spec = template === undefined ? undefined : dig(object, ...path);
  return Object.fromEntries(imageSearchOrder.map((group) => [
    group,
    asList(field(spec, group)).map((container, index) => ({
      text: asString(field(container, "image")),
      pointer: `/${[...path, group, index, "image"].join("/")}`,
    })),
  ]));
}
