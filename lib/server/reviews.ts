import { type PolicyRequest, policyRequest } from "../engine/mod.ts";
import { heapSizeOfText, isString } from "../json/mod.ts";
import { admissionReview } from "../report/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { decide, failed, type ReviewOptions, type ReviewResponse, withoutDecision } from "./decide.ts";
import { compileFilters, type FilterConfig } from "./filters.ts";
import {
  type HttpError,
  type ReadReview,
  readReview,
  readReviewInStages,
  type UsableReview,
} from "./review.ts";
import { decodeBody } from "./body_text.ts";
import { PendingReviews } from "./pending_reviews.ts";
import { ReviewHeap } from "./review_heap.ts";
import { answerTimeOf, type ObjectRoute, type PathRoute, routeOf } from "./review_route.ts";
import { TextParser } from "./text_parser.ts";

/** The characters of a text whose parsing or writing takes several milliseconds. */
const large = 512 * 1024;

/** The characters of a text whose heap is estimated before it is parsed. Usual reviews are shorter. */
const estimated = 32 * 1024;

/** The bytes of heap of all short reviews that wait for loads, where the server has no other limit. */
const defaultMemory = 24 * 1024 * 1024;

/** A review that was posted. */
export interface PostedReview {
  readonly endpoint: PathRoute | ObjectRoute;
  /** The path without the secret path, because it is logged. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** Its text, or why it was not read. */
  readonly body: string | HttpError;
  /** Milliseconds in which the review must be answered. */
  readonly timeout: number;
}

/** A review that was posted, without its text: a long text is freed as soon as it is parsed. */
interface Received extends Pick<PostedReview, "endpoint" | "path" | "timeout"> {
  /** When it came, in milliseconds of `performance.now()`. */
  readonly started: number;
  /** The characters of its text. */
  readonly length: number;
  readonly heap: ReviewHeap;
  /** Called when a short review waits for loads. */
  readonly waits?: ReviewOptions["waits"];
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

/** Answers reviews for the Hono app, and for the listener, which makes no web request. */
export class Reviews {
  /** Parses long texts within the memory for them. */
  readonly texts: TextParser;
  readonly #options: AppOptions;
  #filters: { readonly config: FilterConfig; readonly unseen: (request: PolicyRequest) => boolean };
  readonly #pending: PendingReviews;

  constructor(options: AppOptions) {
    this.#options = options;
    const { long, short = defaultMemory, hasRoom } = options.reviewMemory ?? {};
    this.texts = new TextParser({ memory: long, hasRoom, scheduler: options.ports.scheduler });
    this.#pending = new PendingReviews(short, hasRoom);
    const config = options.filters?.() ?? {};
    this.#filters = { config, unseen: compileFilters(config) };
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
  route(path: string): PathRoute | ObjectRoute | undefined {
    const { snapshot, routes } = this.#options;
    const route = routeOf(path);
    return route === undefined ? routes?.(path) : { route, snapshot: snapshot() };
  }

  /** Answers a review, at once unless something must be loaded or the review is large. It never throws. */
  answer(review: PostedReview): ReviewAnswer | Promise<ReviewAnswer> {
    const started = performance.now();
    const { endpoint, path, timeout, contentType, body } = review;
    if (!isJson(contentType)) return this.#refuse(path, wrongType);
    if (typeof body !== "string") return this.#refuse(path, body);
    const { length } = body;
    if (length > estimated) return this.#answerLong(body, { endpoint, path, timeout, started, length });
    const heap = ReviewHeap.ofText(body), waits = this.#pending.waits(heap);
    return this.#read(readReview(body), { endpoint, path, timeout, started, length, heap, waits });
  }

  /** Answers a long review when there is room for it in the heap. */
  async #answerLong(text: string, posted: Omit<Received, "heap">): Promise<ReviewAnswer> {
    const { path, started, timeout } = posted, bytes = heapSizeOfText(text);
    const within = started + timeout - performance.now();
    const parsed = await this.texts.parse(text, { bytes, within, read: readReviewInStages });
    if ("status" in parsed) return this.#refuse(path, parsed);
    try {
      return await this.#read(parsed.value, { ...posted, heap: ReviewHeap.ofBytes(bytes) });
    } finally {
      parsed.free();
    }
  }

  #read(read: ReadReview, received: Received): ReviewAnswer | Promise<ReviewAnswer> {
    return "status" in read ? this.#refuse(received.path, read) : this.#decided(read, received);
  }

  #decided(
    review: UsableReview,
    received: Received,
  ): ReviewAnswer | Promise<ReviewAnswer> {
    const { endpoint } = received, { request } = review;
    const { failurePolicy = "Fail" } = "respond" in endpoint ? {} : endpoint.route;
    const answerToException = (cause: unknown): ReviewAnswer => {
      // An exception is a bug. The response has the request's uid all the same, and the failurePolicy decides.
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#options.log.write("error", "request failed", { uid: request.uid, cause: message });
      return answerOf(withoutDecision(failed(request, failurePolicy, `internal error: ${message}`)));
    };
    try {
      const responded = "respond" in endpoint
        ? endpoint.respond(request).then(withoutDecision)
        : this.#respond(review, endpoint, received);
      if (!(responded instanceof Promise)) return answerOf(responded);
      return responded.then(async (responded) => {
        // A long patch took long to write: other requests go first.
        if ((responded.response.patch ?? "").length > large) await this.#options.ports.scheduler?.pause();
        return answerOf(responded);
      }).catch(answerToException);
    } catch (cause) {
      return answerToException(cause);
    }
  }

  #respond(
    { request, longNumbers }: UsableReview,
    { route, snapshot }: PathRoute,
    { started, length, heap, waits, timeout, path }: Received,
  ): ReviewResponse | Promise<ReviewResponse> {
    const { audit, effects, log, metrics, recorder } = this.#options;
    if (snapshot === undefined) {
      const message = "policies are still being loaded";
      return withoutDecision(failed(request, route.failurePolicy ?? "Fail", message));
    }
    const { policy: key, failurePolicy = "Fail" } = route;
    if (key !== undefined && !snapshot.policies.some(({ policy }) => policy.key === key)) {
      // The webhook exists, but its policy is not loaded yet or was deleted, so it is unknown what it would deny.
      return withoutDecision(failed(request, failurePolicy, `no policy ${key} is loaded`));
    }
    const reviewed = policyRequest(request), unseen = withoutDecision({ uid: request.uid, allowed: true });
    if (this.#unseen(reviewed)) return unseen;
    const about = this.#options.parents?.of(reviewed, snapshot, started + timeout - performance.now());
    const decided = (policyInput: PolicyRequest | string): ReviewResponse | Promise<ReviewResponse> => {
      if (isString(policyInput)) return withoutDecision(failed(request, failurePolicy, policyInput));
      // Filters may be about the kind of the parent that was looked up.
      if (policyInput !== reviewed && this.#unseen(policyInput)) return unseen;
      const isLarge = length > large;
      const decision = { ...route, snapshot, started, timeout, isLarge, waits, longNumbers };
      const responded = decide(policyInput, decision, this.#options);
      return responded instanceof Promise
        ? responded.then((each) => withFollowingWork(each, policyInput))
        : withFollowingWork(responded, policyInput);
    };
    return about instanceof Promise ? about.then(decided) : decided(about ?? reviewed);

    function withFollowingWork(
      { response, afterwards }: ReviewResponse,
      policyInput: PolicyRequest,
    ): ReviewResponse {
      return {
        response,
        afterwards: () => {
          try {
            afterwards();
            if (route.phase === "validate") {
              audit?.add(policyInput, route, heap);
              if (response.allowed) effects?.add(policyInput, { route });
            }
            metrics.reviewed(request, response.allowed, performance.now() - started);
            recorder?.add({ path, route, request, response, bytes: heap.estimate() });
          } catch (cause) {
            log.write("error", "work after an answer failed", { uid: request.uid, cause: String(cause) });
          }
        },
      };
    }
  }

  #unseen(request: PolicyRequest): boolean {
    const config = this.#options.filters?.() ?? this.#filters.config;
    if (config !== this.#filters.config) this.#filters = { config, unseen: compileFilters(config) };
    return this.#filters.unseen(request);
  }

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
