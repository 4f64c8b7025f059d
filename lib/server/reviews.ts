import { policyRequest } from "../engine/mod.ts";
import { heapSizeOfText } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import { type AdmissionResponse, admissionReview } from "../report/mod.ts";
import type { AppOptions } from "./app_options.ts";
import { decide, failed, type ReviewOptions } from "./decide.ts";
import { compileFilters, type FilterConfig } from "./filters.ts";
import { paced } from "./paced.ts";
import { type HttpError, type ReadReview, readReview, readReviewInStages, tooDeep } from "./review.ts";
import { type Free, ReviewMemory } from "./review_memory.ts";
import { PendingReviews } from "./pending_reviews.ts";
import { answerTimeOf, type ObjectRoute, type PathRoute, routeOf } from "./review_route.ts";

/** The characters of a text whose parsing or writing takes several milliseconds. */
const large = 512 * 1024;

/** The characters of a text whose heap is estimated before it is parsed. Usual reviews are shorter. */
const estimated = 32 * 1024;

/** How many times a text is in memory while it is parsed: as bytes, as text, and in pieces. */
const copies = 3;

/**
 * The bytes of heap of all reviews together, where the server has no other limit: of long ones until they are answered,
 * and of short ones that wait for loads.
 */
const defaultMemory = { long: 40 * 1024 * 1024, short: 24 * 1024 * 1024 };

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
  /** Estimates the bytes that the review takes in the heap. */
  readonly heapSize: () => number;
  /** Called when a short review waits for loads. */
  readonly waits?: ReviewOptions["waits"];
}

/** The answer to a review, in JSON. */
export interface ReviewAnswer {
  readonly status: number;
  readonly body: string;
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
  readonly #options: AppOptions;
  #filters: { readonly config: FilterConfig; readonly unseen: (request: AdmissionRequest) => boolean };
  readonly #decoder = new TextDecoder();
  readonly #memory: ReviewMemory;
  readonly #pending: PendingReviews;

  constructor(options: AppOptions) {
    this.#options = options;
    const { long, short } = options.reviewMemory ?? defaultMemory;
    this.#memory = new ReviewMemory(long);
    this.#pending = new PendingReviews(short);
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
      body: this.#decoder.decode(body),
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
    const heapSize = () => heapSizeOfText(body);
    const waits = this.#pending.waits(body);
    return this.#read(readReview(body), { endpoint, path, timeout, started, length, heapSize, waits });
  }

  /** Answers a long review when there is room for it in the heap. */
  #answerLong(
    text: string,
    posted: Omit<Received, "heapSize">,
  ): ReviewAnswer | Promise<ReviewAnswer> {
    const bytes = heapSizeOfText(text);
    if (!this.#memory.fits(bytes)) return this.#refuse(posted.path, tooDeep(text) ?? tooDense);
    const received = { ...posted, heapSize: () => bytes };
    return this.#parsed(text, bytes, posted).then(async (parsed) => {
      if (parsed === undefined) return this.#refuse(received.path, tooMany);
      try {
        return await this.#read(parsed.read, received);
      } finally {
        parsed.free();
      }
    });
  }

  /** Parses a long text as soon as there is room for its value; `undefined` when there is none in time. */
  async #parsed(
    text: string,
    bytes: number,
    { started, timeout }: Pick<Received, "started" | "timeout">,
  ): Promise<{ readonly read: ReadReview; readonly free: Free } | undefined> {
    const { scheduler } = this.#options.ports;
    const all = bytes + copies * text.length;
    const free = await this.#memory.take(all, started + timeout - performance.now());
    if (free === undefined) return undefined;
    try {
      if (scheduler === undefined || text.length <= large) return { read: readReview(text), free };
      const read = await paced(readReviewInStages(text), scheduler);
      await scheduler.pause();
      return { read, free };
    } catch (cause) {
      free();
      throw cause;
    }
  }

  #read(read: ReadReview, received: Received): ReviewAnswer | Promise<ReviewAnswer> {
    return "status" in read ? this.#refuse(received.path, read) : this.#decided(read.request, received);
  }

  #decided(
    request: AdmissionRequest,
    received: Received,
  ): ReviewAnswer | Promise<ReviewAnswer> {
    const { endpoint } = received;
    const { failurePolicy = "Fail" } = "respond" in endpoint ? {} : endpoint.route;
    const broke = (cause: unknown): ReviewAnswer => {
      // For any other error the response has the request's uid, and the failurePolicy decides.
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#options.log.write("error", "request failed", { uid: request.uid, cause: message });
      return answered(failed(request, failurePolicy, `internal error: ${message}`));
    };
    try {
      const response = "respond" in endpoint
        ? endpoint.respond(request)
        : this.#respond(request, endpoint, received);
      if (!(response instanceof Promise)) return answered(response);
      return response.then(async (response) => {
        // A long patch took long to write: other requests go first.
        if ((response.patch ?? "").length > large) await this.#options.ports.scheduler?.pause();
        return answered(response);
      }).catch(broke);
    } catch (cause) {
      return broke(cause);
    }
  }

  #respond(
    request: AdmissionRequest,
    { route, snapshot }: PathRoute,
    { started, length, heapSize, waits, timeout, path }: Received,
  ): AdmissionResponse | Promise<AdmissionResponse> {
    const { audit, effects, metrics, recorder } = this.#options;
    if (snapshot === undefined) {
      return failed(request, route.failurePolicy ?? "Fail", "policies are still being loaded");
    }
    const { policy: key, failurePolicy = "Fail" } = route;
    if (key !== undefined && !snapshot.policies.some(({ policy }) => policy.key === key)) {
      // The webhook exists, but its policy is not loaded yet or was deleted, so it is unknown what it would deny.
      return failed(request, failurePolicy, `no policy ${key} is loaded`);
    }
    if (this.#unseen(request)) return { uid: request.uid, allowed: true };
    const policyInput = policyRequest(request);
    const isLarge = length > large;
    const response = decide(
      policyInput,
      { ...route, snapshot, started, timeout, isLarge, waits },
      this.#options,
    );
    return response instanceof Promise ? response.then(followed) : followed(response);

    /** Starts the work that follows an answer and does not change it. */
    function followed(response: AdmissionResponse): AdmissionResponse {
      if (route.phase === "validate") {
        audit?.add(policyInput, route, heapSize);
        if (response.allowed) effects?.add(policyInput, { route });
      }
      metrics.reviewed(request, response.allowed, performance.now() - started);
      recorder?.add({ path, route, request, response, bytes: heapSize() });
      return response;
    }
  }

  #unseen(request: AdmissionRequest): boolean {
    const config = this.#options.filters?.() ?? this.#filters.config;
    if (config !== this.#filters.config) this.#filters = { config, unseen: compileFilters(config) };
    return this.#filters.unseen(request);
  }

  #refuse(path: string, { status, message, uid }: HttpError): ReviewAnswer {
    this.#options.log.write("warn", "request refused", { path, status, cause: message });
    if (uid === "") return { status, body: JSON.stringify({ message }) };
    const response = { uid, allowed: false, status: { status: "Failure", message, code: status } } as const;
    return { status, body: JSON.stringify(admissionReview(response)) };
  }
}

function answered(response: AdmissionResponse): ReviewAnswer {
  return { status: 200, body: JSON.stringify(admissionReview(response)) };
}

const tooDense: HttpError = {
  status: 413,
  message: "the review has too many values: it would take too much memory",
  uid: "",
};
const tooMany: HttpError = { status: 503, message: "too many large requests are being answered", uid: "" };
const wrongType: HttpError = {
  status: 415,
  message: "invalid Content-Type: expected application/json",
  uid: "",
};

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json") return contentType !== undefined;
  return contentType.split(";")[0]!.trim().toLowerCase() === "application/json";
}
