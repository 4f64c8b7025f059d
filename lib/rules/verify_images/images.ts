import { asString, type Fault, isFault, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { extractImages, type Image, type ImageExtractors } from "../../kube/mod.ts";

/** An image of an object. */
export interface FoundImage {
  /** Where its text stands in the object. */
  readonly pointer: string;
  readonly image: Image;
  /** How messages and annotations call it: with its digest, or with its tag when it has none. */
  readonly text: string;
}

/** The images of an object in its order; a fault when a text of them is no image. */
export function imagesOf(object: Json, extractors: ImageExtractors | undefined): FoundImage[] | Fault {
  const groups = extractImages(object, extractors === undefined ? {} : { extractors });
  if (isFault(groups)) return groups;
  return Object.values(groups).flatMap((group) =>
    Object.values(isObject(group) ? group : {}).filter(isObject).map(foundImage)
  );
}

function foundImage({ jsonPointer, ...image }: JsonObject): FoundImage {
  const found = image as Image;
  return { pointer: asString(jsonPointer) ?? "", image: found, text: found.reference ?? "" };
}

/** The image at a digest that its text does not name. */
export function atDigest(found: FoundImage, digest: string): FoundImage {
  const { registry = "", path } = found.image;
  const reference = `${registry === "" ? path : `${registry}/${path}`}@${digest}`;
  return { ...found, image: { ...found.image, digest, reference }, text: reference };
}
