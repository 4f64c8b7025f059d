import {
  completed,
  digitRunsOf,
  type Json,
  nestsDeeperThan,
  parseInStages,
  type Stages,
} from "../json/mod.ts";
import { type AdmissionRequest, parseReview } from "../kube/mod.ts";
import { LongNumbers } from "../patch/mod.ts";
import { unlikeInGo } from "./unlike_in_go.ts";

/** The answer to a body that is not a review: an HTTP status and a message. */
export interface HttpError {
  readonly status: 400 | 408 | 413 | 415 | 417 | 503;
  readonly message: string;
  /** The review's uid; empty when it cannot be read. */
  readonly uid: string;
  /** Whether the answer is a denial, which the API server obeys whatever the failurePolicy says. */
  readonly denied?: true | undefined;
}

/** The most bytes of a review. The API server's limit for objects is 3 MB, and a review may hold two of them. */
export const maxReviewBytes = 5 * 1024 * 1024;

/** The deepest nesting; deeper JSON is refused before it is parsed. Kubernetes accepts nothing that nests so far. */
const maxDepth = 500;

/** The error of a body that nests too deeply. */
export function tooDeep(text: string): HttpError | undefined {
  return nestsDeeperThan(maxDepth, text)
    ? { status: 400, message: `the body nests deeper than ${maxDepth} levels`, uid: "" }
    : undefined;
}

/** A review that was read. */
export interface UsableReview {
  readonly request: AdmissionRequest;
  /** The digits of the numbers of its object that doubles do not hold; `undefined` when there are none. */
  readonly longNumbers: LongNumbers | undefined;
}

/** The request of a review, or why there is none. */
export type ReadReview = UsableReview | HttpError;

/** Reads the text of an AdmissionReview. Never throws. */
export function readReview(text: string): ReadReview {
  return completed(readReviewInStages(text, Infinity));
}

/** The same in stages, for long texts; each parses `most` characters. */
export function* readReviewInStages(text: string, most?: number): Stages<ReadReview> {
  if (text.trim() === "") return { status: 400, message: "the request has an empty body", uid: "" };
  const deep = tooDeep(text);
  if (deep !== undefined) return deep;
  let body: Json;
  try {
    body = yield* parseInStages(text, most);
  } catch (cause) {
    return {
      status: 417,
      message: `the body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      uid: "",
    };
  }
  const digits = digitRunsOf(text), unlike = yield* unlikeInGo({ text, body, digits });
  if (unlike !== undefined) {
    return { status: 417, message: `the body cannot be read: ${unlike}`, uid: "" };
  }
  const parsed = parseReview(body);
  return parsed.ok
    ? { request: parsed.review.request, longNumbers: digits.mayBeLong ? new LongNumbers(text) : undefined }
    : { status: 400, message: parsed.message, uid: parsed.uid, denied: parsed.denied };
}
