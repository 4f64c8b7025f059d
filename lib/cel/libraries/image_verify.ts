import { isCelFault } from "../fault.ts";
import type { ExternalCalls, ImageCheckRequest } from "../external_calls.ts";
import { dynType, intType, listType, stringType } from "../types/mod.ts";
import { withDoubles } from "./json_value.ts";
import { type Library, overload, type Result } from "./library.ts";

type Check = Pick<ImageCheckRequest, "check" | "image"> & Partial<ImageCheckRequest>;

function checkImage(external: ExternalCalls, check: Check): Result {
  const reply = external.call({ kind: "imageCheck", attestation: "", attestors: [], ...check });
  if (isCelFault(reply)) return reply;
  const { body = null } = reply;
  // A number of attestors is an int; all other numbers come from JSON.
  return typeof body === "number" ? body : withDoubles(body);
}

const needs = () => [{ kind: "registry" }] as const;

/**
 * The functions of an ImageValidatingPolicy about images: `verifyImageSignatures(image, [attestors.x])` and
 * `verifyAttestationSignatures(image, attestations.y, [attestors.x])` return the number of attestors that verified,
 * `extractPayload(image, attestations.y)` the statement's payload, `getImageData(image)` the registry's metadata.
 *
 * The caller of the evaluation answers these calls from the policy's attestors.
 */
export const imageVerifyLibrary: Library = {
  name: "kyverno.imageverify",
  functions: [
    {
      name: "verifyImageSignatures",
      overloads: [
        overload({
          id: "verify_image_signature_string_stringarray",
          takes: [stringType, listType(stringType)],
          gives: intType,
          needs,
          callOut: (external, image, attestors) =>
            checkImage(external, { check: "signatures", image, attestors: names(attestors) }),
        }),
      ],
    },
    {
      name: "verifyAttestationSignatures",
      overloads: [
        overload({
          id: "verify_image_attestations_string_string_stringarray",
          takes: [stringType, stringType, listType(stringType)],
          gives: intType,
          needs,
          callOut: (external, image, attestation, attestors) =>
            checkImage(external, { check: "attestations", image, attestation, attestors: names(attestors) }),
        }),
      ],
    },
    {
      name: "getImageData",
      overloads: [
        overload({
          id: "get_image_data_string",
          takes: [stringType],
          gives: dynType,
          needs,
          callOut: (external, image) => checkImage(external, { check: "data", image }),
        }),
      ],
    },
    {
      name: "extractPayload",
      overloads: [
        overload({
          id: "payload_string_string",
          takes: [stringType, stringType],
          gives: dynType,
          needs,
          callOut: (external, image, attestation) =>
            checkImage(external, { check: "payload", image, attestation }),
        }),
      ],
    },
  ],
};

function names(list: readonly unknown[]): string[] {
  return list.filter((name) => typeof name === "string");
}
