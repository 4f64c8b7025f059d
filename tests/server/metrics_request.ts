/** A request for tests of metrics. */
import assert from "node:assert/strict";
import { type PolicyRequest, policyRequest } from "../../lib/engine/mod.ts";
import { readReview } from "../../lib/server/read_review.ts";
import { admissionReview } from "./review.ts";

export function request(): PolicyRequest {
  const read = readReview(JSON.stringify(admissionReview()));
  assert.ok("request" in read);
  return policyRequest(read.request);
}
