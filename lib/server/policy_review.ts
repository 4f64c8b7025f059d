import { type PolicyRequest, policyRequest, type Snapshot } from "../engine/mod.ts";
import { isString } from "../json/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { decide, failed, type ReviewOptions, type ReviewResponse, withoutDecision } from "./decide.ts";
import type { CurrentFilters } from "./filters.ts";
import { withRoles } from "./requester_roles.ts";
import type { UsableReview } from "./read_review.ts";
import type { ReviewHeap } from "./review_heap.ts";
import type { Route } from "./review_route.ts";

/** Beyond this many characters, to parse or to write a text takes several milliseconds. */
export const slowToWrite = 512 * 1024;

/** How and when a review arrived, and what it takes until it is answered. */
export interface ReviewArrival {
  /** The path without the secret path, because it is logged. */
  readonly path: string;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly started: number;
  /** Milliseconds in which it must be answered. */
  readonly timeout: number;
  /** The characters of its text. */
  readonly length: number;
  readonly heap: ReviewHeap;
  /** Called when a short review waits for loads. */
  readonly waits?: ReviewOptions["waits"];
}

/** A review, and the policies that its webhook's path selects. */
export interface PolicyReview {
  readonly review: UsableReview;
  readonly arrival: ReviewArrival;
  readonly route: Route;
  readonly snapshot: Snapshot;
}

/** The ports of reviews, and the requests that no policy sees. */
export interface PolicyReviewSetting {
  readonly options: AppOptions;
  readonly filters: CurrentFilters;
}

/** Responds with the decision of the policies, at once unless a value must be loaded. */
export function respondByPolicies(
  reviewed: PolicyReview,
  setting: PolicyReviewSetting,
): ReviewResponse | Promise<ReviewResponse> {
  const { review, arrival: { started, timeout } } = reviewed;
  const request = policyRequest(review.request);
  if (setting.filters.exclude(request)) return admitted(request);
  if (!setting.filters.readRoles) return respondToUser(request, reviewed, setting);
  const within = started + timeout - performance.now();
  const ofUser = withRoles(request, setting.options.ports.cluster, within);
  const respond = (found: PolicyRequest | string) =>
    respondWithFacts(found, { reviewed, setting }, respondToUser);
  return ofUser instanceof Promise ? ofUser.then(respond) : respond(ofUser);
}

type Respond = (
  request: PolicyRequest,
  reviewed: PolicyReview,
  setting: PolicyReviewSetting,
) => ReviewResponse | Promise<ReviewResponse>;

/** Responds to a request whose user no filter excludes. */
const respondToUser: Respond = (request, reviewed, setting) => {
  const { arrival: { started, timeout }, snapshot } = reviewed, { parents } = setting.options;
  if (parents === undefined) return respondToRequest(request, reviewed, setting);
  const withParent = parents.of(request, snapshot, started + timeout - performance.now());
  if (withParent === request) return respondToRequest(request, reviewed, setting);
  const respond = (found: PolicyRequest | string) =>
    respondWithFacts(found, { reviewed, setting }, respondToRequest);
  return withParent instanceof Promise ? withParent.then(respond) : respond(withParent);
};

/** Goes on with a request whose facts were looked up: filters may be about them. A text says why they are unknown. */
function respondWithFacts(
  request: PolicyRequest | string,
  { reviewed, setting }: { readonly reviewed: PolicyReview; readonly setting: PolicyReviewSetting },
  respond: Respond,
): ReviewResponse | Promise<ReviewResponse> {
  if (isString(request)) {
    return withoutDecision(failed(reviewed.review.request, reviewed.route.failurePolicy ?? "Fail", request));
  }
  return setting.filters.exclude(request) ? admitted(request) : respond(request, reviewed, setting);
}

/** The response to a request that no policy sees. */
function admitted({ uid }: PolicyRequest): ReviewResponse {
  return withoutDecision({ uid, allowed: true });
}

function respondToRequest(
  request: PolicyRequest,
  reviewed: PolicyReview,
  setting: PolicyReviewSetting,
): ReviewResponse | Promise<ReviewResponse> {
  const { review: { longNumbers }, arrival: { started, timeout, length, waits }, route, snapshot } = reviewed;
  const isLarge = length > slowToWrite;
  const response = decide(
    request,
    { ...route, snapshot, started, timeout, isLarge, waits, longNumbers },
    setting.options,
  );
  const decided: DecidedReview = { reviewed, request, options: setting.options };
  return response instanceof Promise
    ? response.then((made) => withFollowingWork(made, decided))
    : withFollowingWork(response, decided);
}

/** A review that the policies decided, with the request as they saw it. */
interface DecidedReview {
  readonly reviewed: PolicyReview;
  readonly request: PolicyRequest;
  readonly options: AppOptions;
}

/** The response, followed by all work for which the API server need not wait. */
function withFollowingWork(made: ReviewResponse, decided: DecidedReview): ReviewResponse {
  return { response: made.response, afterwards: () => followUp(made, decided) };
}

/** Logs and counts the decision, queues audits and effects, and records the review. It never throws. */
function followUp(
  { response, afterwards: reportDecision }: ReviewResponse,
  { reviewed, request, options }: DecidedReview,
): void {
  const { review, arrival: { path, started, heap }, route } = reviewed;
  const { audit, effects, log, metrics, recorder } = options;
  try {
    reportDecision();
    if (route.phase === "validate") {
      audit?.add(request, route, heap);
      if (response.allowed) effects?.add(request, { route });
    }
    metrics.reviewed(review.request, response.allowed, performance.now() - started);
    recorder?.add({ path, route, request: review.request, response, bytes: heap.estimate() });
  } catch (cause) {
    log.write("error", "work after an answer failed", { uid: request.uid, cause: String(cause) });
  }
}
