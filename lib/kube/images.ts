import {
  asString,
  clipped,
  completed,
  Fault,
  field,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
  sortedKeys,
  type Stages,
} from "../json/mod.ts";
import { type ImageOptions, parseImage } from "./image.ts";
import { podTemplatePaths } from "./pod_template_paths.ts";

/** The path of images in a resource: one entry of a rule's `imageExtractors`. */
export interface ImageExtractorConfig {
  /**
   * Path with `/` between keys and `*` for every element of a list or map; its last key holds the image unless
   * `value` does.
   */
  readonly path: string;
  /** The key that holds the image. */
  readonly value?: string;
  /** The group of `images` that lists the images; `custom` by default. */
  readonly name?: string;
  /** The field that names each image; by default it is its JSON pointer. */
  readonly key?: string;
  /** Converts the found value into the image's text: a compiled JMESPath expression. */
  readonly transform?: (value: string) => Json | Fault;
}

interface Extractor {
  readonly group: string;
  readonly steps: readonly string[];
  readonly value: string;
  readonly key: string | undefined;
  readonly transform: ((value: string) => Json | Fault) | undefined;
}

/** Finds the images of resources by kind. */
export type ImageExtractors = ReadonlyMap<string, readonly Extractor[]>;

/** The lists of containers of a pod, in the order in which Kubernetes starts them. */
export const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** The same lists in the order in which Kyverno searches them for images. */
export const imageSearchOrder = [containerLists[1], containerLists[0], containerLists[2]] as const;

function podExtractors(path: readonly string[]): Extractor[] {
  return containerLists.map((group) => ({
    group,
    steps: [...path, "spec", group, "*"],
    value: "image",
    key: "name",
    transform: undefined,
  }));
}

/** The extractors of the kinds that need no configured extractor. */
const builtinImageExtractors: ImageExtractors = new Map(
  [...podTemplatePaths].map(([kind, path]) => [kind, podExtractors(path)]),
);

/** The built-in extractors; a rule's extractors replace those of the kinds that the rule names. */
export function compileImageExtractors(
  configs: Readonly<Record<string, readonly ImageExtractorConfig[]>>,
): ImageExtractors {
  const extractors = new Map(builtinImageExtractors);
  for (const [kind, entries] of Object.entries(configs)) extractors.set(kind, entries.map(compileExtractor));
  return extractors;
}

function compileExtractor(config: ImageExtractorConfig): Extractor {
  const steps = config.path.split("/").map((step) => step.trim()).filter((step) => step !== "");
  return {
    group: nonEmpty(config.name) ?? "custom",
    value: nonEmpty(config.value) ?? steps.pop() ?? "",
    steps,
    key: nonEmpty(config.key),
    transform: config.transform,
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** The options of {@link extractImages}. */
export interface ImagesOptions extends ImageOptions {
  /** {@link builtinImageExtractors} by default. */
  readonly extractors?: ImageExtractors;
}

/**
 * The `images` variable of a resource: the images by group (`containers`, `initContainers`, `ephemeralContainers`, the
 * rule's groups) and container name, each with its `jsonPointer`. It has no groups without images and no blank images.
 *
 * ```ts
 * import { extractImages } from "./images.ts";
 * import { dig, isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const images = extractImages({ kind: "Pod", spec: { containers: [{ name: "web", image: "nginx" }] } });
 * assert.ok(!isFault(images));
 * assert.equal(dig(images, "containers", "web", "jsonPointer"), "/spec/containers/0/image");
 * ```
 */
export function extractImages(resource: Json, options: ImagesOptions = {}): JsonObject | Fault {
  return completed(extractImagesInStages(resource, options));
}

/** {@link extractImages} in stages, because a Pod of 3 MB can have tens of thousands of images. */
export function* extractImagesInStages(
  resource: Json,
  options: ImagesOptions = {},
): Stages<JsonObject | Fault> {
  const kind = isObject(resource) && typeof resource["kind"] === "string" ? resource["kind"] : "";
  const extractors = (options.extractors ?? builtinImageExtractors).get(kind);
  if (extractors === undefined) return {};
  if (extractors.length === 0) return new Fault(`no extractors found for ${kind}`);
  const images: { [group: string]: Json } = {};
  for (const extractor of extractors) {
    const found: { [name: string]: Json } = {};
    const fault = yield* collect({ extractor, options, found }, resource, []);
    if (fault !== undefined) return fault;
    for (const _ in found) {
      setField(images, extractor.group, found);
      break;
    }
  }
  return images;
}

interface Search {
  readonly extractor: Extractor;
  readonly options: ImageOptions;
  readonly found: { [name: string]: Json };
}

/** The elements of a list that one stage processes. */
const elementsInStage = 1_000;

function* collect(search: Search, value: Json, path: readonly string[]): Stages<Fault | undefined> {
  if (value === null) return undefined;
  const { steps } = search.extractor;
  const step = steps[path.length];
  if (step === "*") return yield* collectAll(search, value, path);
  if (!isObject(value)) return new Fault("invalid image config");
  if (step === undefined) return addImage(search, value, path);
  return Object.hasOwn(value, step) ? yield* collect(search, value[step]!, [...path, step]) : undefined;
}

function* collectAll(search: Search, value: Json, path: readonly string[]): Stages<Fault | undefined> {
  if (!isList(value) && !isObject(value)) return new Fault("invalid type");
  const keys = isList(value) ? value.keys() : sortedKeys(value);
  // Most lists are the last step of the path. Their elements then need no separate generators.
  const isLast = search.extractor.steps.length === path.length + 1;
  let count = 0;
  for (const key of keys) {
    if (++count % elementsInStage === 0) yield;
    const element = isList(value) ? value[key as number]! : value[key]!;
    const below = [...path, String(key)];
    const fault = isLast && isObject(element)
      ? addImage(search, element, below)
      : yield* collect(search, element, below);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function addImage(search: Search, holder: JsonObject, path: readonly string[]): Fault | undefined {
  const { extractor, options, found } = search;
  const jsonPointer = `/${path.join("/")}/${extractor.value}`;
  const name = extractor.key === undefined ? jsonPointer : asString(field(holder, extractor.key));
  if (name === undefined) return new Fault("invalid key");
  const text = asString(field(holder, extractor.value));
  if (text === undefined || text.trim() === "") return undefined;
  const reference = extractor.transform === undefined ? text : extractor.transform(text);
  if (isFault(reference)) return reference;
  if (typeof reference !== "string") return new Fault("jmespath of an image extractor must produce a string");
  const image = parseImage(reference, options);
  if (isFault(image)) return new Fault(`invalid image '${clipped(reference, 256)}' (${image.message})`);
  setField(found, name, { ...image, jsonPointer });
  return undefined;
}
