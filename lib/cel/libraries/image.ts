import { isFault } from "../../json/mod.ts";
import { type ImageReference, parseImageReference } from "../../kube/mod.ts";
import { failure, isCelFault } from "../fault.ts";
import { boolType, type CelType, dynType, opaqueType, stringType } from "../types/mod.ts";
import { Opaque } from "../values/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { withDoubles } from "./json_value.ts";
import { type FunctionDeclaration, type Library, method, overload, type Result } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";
import { bothSpellings } from "./resource.ts";

const contextType: CelType<NamespaceValue> = opaqueType("imagedata.Context");
const imageType: CelType<ImageValue> = opaqueType("kyverno.image");

class ImageValue extends Opaque {
  readonly type = imageType;
  readonly text: string;
  readonly reference: ImageReference;

  constructor(text: string, reference: ImageReference) {
    super();
    this.text = text;
    this.reference = reference;
  }

  /** Kyverno parity: references are equal when their texts are. Pinned by tests/cel/libraries/kyverno_test.ts. */
  equals(other: Opaque): boolean {
    return other instanceof ImageValue && this.text === other.text;
  }

  toString(): string {
    return this.text;
  }
}

function parse(text: string): Result {
  const reference = parseImageReference(text);
  return isFault(reference) ? failure(reference.message) : new ImageValue(text, reference);
}

function part(name: string, read: (reference: ImageReference) => string): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id: `image_${name}`,
        takes: [imageType],
        gives: stringType,
        call: ({ reference }) => read(reference),
      }),
    ],
  };
}

function metadata(external: ExternalCalls, reference: string): Result {
  const reply = external.call({ kind: "image", reference });
  if (isCelFault(reply)) return reply;
  return reply.ok ? withDoubles(reply.body) : failure(`failed to get image data: ${reply.message}`);
}

/**
 * Images: `parseImageReference(text)` (formerly `image(text)`), `isImage(text)`, the parts of a reference, and the
 * registry's metadata of an image: `image.GetMetadata(text)`.
 */
export const imageLibrary: Library = {
  name: "kyverno.image",
  constants: { image: { type: contextType, value: new NamespaceValue(contextType) } },
  functions: [
    {
      name: "image",
      overloads: [
        overload({
          id: "string_to_image_deprecated",
          takes: [stringType],
          gives: imageType,
          call: parse,
        }),
      ],
    },
    {
      name: "parseImageReference",
      overloads: [
        overload({ id: "string_to_image", takes: [stringType], gives: imageType, call: parse }),
      ],
    },
    {
      name: "isImage",
      overloads: [
        overload({
          id: "is_image_string",
          takes: [stringType],
          gives: boolType,
          call: (text) => !isFault(parseImageReference(text)),
        }),
      ],
    },
    {
      name: "containsDigest",
      overloads: [
        method({
          id: "image_contains_digest",
          takes: [imageType],
          gives: boolType,
          call: ({ reference }) => reference.digest !== "",
        }),
      ],
    },
    part("registry", ({ registry }) => registry),
    part("repository", ({ repository }) => repository),
    part("identifier", ({ tag, digest }) => digest === "" ? tag : digest),
    part("tag", ({ tag }) => tag),
    part("digest", ({ digest }) => digest),
    ...bothSpellings({
      GetMetadata: [
        method({
          id: "imagedata_get_string",
          needs: () => [{ kind: "registry" }],
          takes: [contextType, stringType],
          gives: dynType,
          callOut: (external, _, text) => metadata(external, text),
        }),
      ],
    }),
  ],
};
