import { asList, isObject, type JsonObject } from "../../json/mod.ts";
import type { BodyFormat } from "./body_format.ts";

/** The images of the object must be signed. */
export interface VerifyImagesBody {
  readonly kind: "verifyImages";
  /** The entries as written: variables are replaced before `imageVerificationOf` parses an entry. */
  readonly entries: readonly JsonObject[];
}

export const verifyImagesFormat: BodyFormat<VerifyImagesBody> = {
  kind: "verifyImages",
  section: "verifyImages",
  recognises: (verifyImages) => Array.isArray(verifyImages),
  read: (verifyImages) => ({ kind: "verifyImages", entries: asList(verifyImages).filter(isObject) }),
};
