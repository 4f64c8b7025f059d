import { asString, type Fault, isFault, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { extractImages, type Image, type ImageExtractors } from "../../kube/mod.ts";

/** An image of an object. */
export interface FoundImage {
  /** The JSON pointer to its text in the object. */
  readonly pointer: string;
  readonly image: Image;
  /** The text in messages and annotations: with the digest, or with the tag when there is none. */
  readonly text: string;
}

/** The images of an object in order; a fault when one of their texts is not an image. */
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

/** The image with a digest that its text does not have. */
export function atDigest(found: FoundImage, digest: string): FoundImage {
  const { registry = "", path } = found.image;
  const reference = `${registry === "" ? path : `${registry}/${path}`}@${digest}`;
  return { ...found, image: { ...found.image, digest, reference }, text: reference };
}
