import { heapSizeOfText } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import { admissionReview } from "../report/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { decodeBody } from "./body_text.ts";
import { failed, type ReviewResponse, withoutDecision } from "./decide.ts";
import { CurrentFilters } from "./filters.ts";
import { PendingReviews } from "./pending_reviews.ts";
import {
  type PolicyReviewSetting,
  respondByPolicies,
  type ReviewArrival,
  slowToWrite,
} from "./policy_review.ts";
import {
  type HttpError,
  type ReadReview,
  readReview,
  readReviewInStages,
  type UsableReview,
} from "./read_review.ts";
import { ReviewHeap } from "./review_heap.ts";
import { answerTimeOf, type ReviewEndpoint, routeOf } from "./review_route.ts";
import { TextParser } from "./text_parser.ts";

/** The most characters of a short review. The heap of a longer one is estimated before it is parsed. */
const mostOfShort = 32 * 1024;

/** The bytes of heap of all short reviews that wait for loads, where the server has no other limit. */
const defaultMemory = 24 * 1024 * 1024;

/** A review that was posted. */
export interface PostedReview {
  readonly endpoint: ReviewEndpoint;
  /** The path without the secret path, because it is logged. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** Its text, or why it was not read. */
  readonly body: string | HttpError;
  /** Milliseconds in which the review must be answered. */
  readonly timeout: number;
}

/** A posted review without its text: a long text is freed as soon as it is parsed. */
interface ReceivedReview extends ReviewArrival {
  readonly endpoint: ReviewEndpoint;
}

/** The answer to a review, in JSON. */
export interface ReviewAnswer {
  readonly status: number;
  readonly body: string;
  /** The work that follows the answer and does not change it. To be called once, after the answer; it never throws. */
  readonly afterwards?: () => void;
}

/** A request that a listener read. */
export interface ReadRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Answers reviews for the Hono app, and for the listener, which makes no web request. A review goes through
 * `handle`, `answer`, `#answerRead`, `#respond` and, for policies, {@link respondByPolicies}. Each returns a promise
 * only if something has to be waited for.
 */
export class Reviews {
  /** Parses long texts within the memory for them. */
  readonly texts: TextParser;
  readonly #options: AppOptions;
  readonly #setting: PolicyReviewSetting;
  readonly #pending: PendingReviews;

  constructor(options: AppOptions) {
    this.#options = options;
    const { long, short = defaultMemory, hasRoom } = options.reviewMemory ?? {};
    this.texts = new TextParser({ memory: long, hasRoom, scheduler: options.ports.scheduler });
    this.#pending = new PendingReviews(short, hasRoom);
    this.#setting = { options, filters: new CurrentFilters(options.filters) };
  }

  /** Answers a request that a listener read; `undefined` when it is not a review. */
  handle({ method, target, headers, body }: ReadRequest): ReviewAnswer | Promise<ReviewAnswer> | undefined {
    const { secretPath = "" } = this.#options;
    if (method !== "POST" || !target.startsWith(secretPath)) return undefined;
    const queryStart = target.indexOf("?");
    const path = target.slice(secretPath.length, queryStart < 0 ? undefined : queryStart);
    const endpoint = this.route(path);
    if (endpoint === undefined) return undefined;
    return this.answer({
      endpoint,
      path,
      contentType: headers.find(([name]) => name === "content-type")?.[1],
      body: decodeBody(body),
      timeout: answerTimeOf(target),
    });
  }

  /** The policies of the webhook at a path; `undefined` when there is none. */
  route(path: string): ReviewEndpoint | undefined {
    const { snapshot, routes } = this.#options;
    const route = routeOf(path);
    return route === undefined ? routes?.(path) : { route, snapshot: snapshot() };
  }

  /** Answers a review, at once unless something must be loaded or the review is large. It never throws. */
  answer({ endpoint, path, timeout, contentType, body }: PostedReview): ReviewAnswer | Promise<ReviewAnswer> {
    const started = performance.now();
    if (!isJson(contentType)) return this.#refuse(path, wrongType);
    if (typeof body !== "string") return this.#refuse(path, body);
    const { length } = body;
    if (length > mostOfShort) return this.#answerLong(body, { endpoint, path, timeout, started, length });
    const heap = ReviewHeap.ofText(body), waits = this.#pending.waits(heap);
    return this.#answerRead(readReview(body), { endpoint, path, timeout, started, length, heap, waits });
  }

  /** Answers a long review when there is room for it in the heap. */
  async #answerLong(text: string, posted: Omit<ReceivedReview, "heap">): Promise<ReviewAnswer> {
    const { path, started, timeout } = posted, bytes = heapSizeOfText(text);
    const within = started + timeout - performance.now();
    const parsed = await this.texts.parse(text, { bytes, within, read: readReviewInStages });
    if ("status" in parsed) return this.#refuse(path, parsed);
    try {
      return await this.#answerRead(parsed.value, { ...posted, heap: ReviewHeap.ofBytes(bytes) });
    } finally {
      parsed.free();
    }
  }

  /** Answers a review whose text was read. */
  #answerRead(review: ReadReview, received: ReceivedReview): ReviewAnswer | Promise<ReviewAnswer> {
    if ("status" in review) return this.#refuse(received.path, review);
    try {
      const response = this.#respond(review, received);
      return response instanceof Promise
        ? this.#answerLater(response, review.request, received)
        : answerOf(response);
    } catch (cause) {
      return this.#answerToException(cause, review.request, received);
    }
  }

  async #answerLater(
    response: Promise<ReviewResponse>,
    request: AdmissionRequest,
    received: ReceivedReview,
  ): Promise<ReviewAnswer> {
    try {
      const made = await response;
      // A long patch took long to write: other requests go first.
      if ((made.response.patch ?? "").length > slowToWrite) await this.#options.ports.scheduler?.pause();
      return answerOf(made);
    } catch (cause) {
      return this.#answerToException(cause, request, received);
    }
  }

  /** An exception is a bug. The response has the request's uid all the same, and the failurePolicy decides. */
  #answerToException(cause: unknown, request: AdmissionRequest, { endpoint }: ReceivedReview): ReviewAnswer {
    const message = cause instanceof Error ? cause.message : String(cause);
    this.#options.log.write("error", "request failed", { uid: request.uid, cause: message });
    const { failurePolicy = "Fail" } = "respond" in endpoint ? {} : endpoint.route;
    return answerOf(withoutDecision(failed(request, failurePolicy, `internal error: ${message}`)));
  }

  /** The response of the webhook at the endpoint. */
  #respond(review: UsableReview, received: ReceivedReview): ReviewResponse | Promise<ReviewResponse> {
    const { endpoint } = received, { request } = review;
    if ("respond" in endpoint) return endpoint.respond(request).then(withoutDecision);
    const { snapshot, route } = endpoint, { failurePolicy = "Fail" } = route;
    if (snapshot === undefined) {
      return withoutDecision(failed(request, failurePolicy, "policies are still being loaded"));
    }
    if (route.policy !== undefined && snapshot.named(route.policy).length === 0) {
      // The webhook exists, but its policy is not loaded yet or was deleted, so it is unknown what it would deny.
      return withoutDecision(failed(request, failurePolicy, `no policy ${route.policy} is loaded`));
    }
    return respondByPolicies({ review, arrival: received, route, snapshot }, this.#setting);
  }

  /** Answers a body that is not a review. */
  #refuse(path: string, { status, message, uid, denied }: HttpError): ReviewAnswer {
    this.#options.log.write("warn", "request refused", { path, status, cause: message });
    if (uid === "") return { status, body: JSON.stringify({ message }) };
    const response = { uid, allowed: false, status: { status: "Failure", message, code: status } } as const;
    return { status: denied ? 200 : status, body: JSON.stringify(admissionReview(response)) };
  }
}

function answerOf({ response, afterwards }: ReviewResponse): ReviewAnswer {
  return { status: 200, body: JSON.stringify(admissionReview(response)), afterwards };
}

const wrongType: HttpError = {
  status: 415,
  message: "invalid Content-Type: expected application/json",
  uid: "",
};

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json") return contentType !== undefined;
  return /^application\/json *(?:; *(?:charset *= *"?utf-8"? *)?)?$/i.test(contentType.trim());
}
