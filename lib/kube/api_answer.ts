import { asString, field, type Json } from "../json/mod.ts";
import { notServedMessage } from "./not_served.ts";
import type { Answer, ApiCall } from "../ports.ts";

/** An answer without a value. */
export type FailedAnswer = Extract<Answer, { readonly ok: false }>;

const maxQuote = 300;

const reasonPhrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** A status code with its reason phrase, as in HTTP/1.1: `404 Not Found`. */
export function statusLine(status: number): string {
  const phrase = reasonPhrases[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

/**
 * Converts an API server's answer into a failure. Its message is the server's where the server names the problem of
 * the request (`configmaps "x" not found`), as in client-go; otherwise it names method, path and status. `body` is
 * the answer's body: a Kubernetes `Status`, or text.
 */
export function failureOf(call: ApiCall, status: number, body: Json): FailedAnswer {
  const statusMessage = asString(field(body, "message"));
  const isStatus = field(body, "kind") === "Status" && statusMessage !== undefined;
  const aboutRequest = status < 500 && status !== 401 && status !== 429;
  if (isStatus && aboutRequest) return { ok: false, status, message: statusMessage, body };
  if (status === 404) return { ok: false, status, message: notServedMessage };
  const detail = (isStatus ? statusMessage : asString(body) ?? "").trim().slice(0, maxQuote);
  const message = `${whereOf(call)}: HTTP ${statusLine(status)}${detail === "" ? "" : `: ${detail}`}`;
  return isStatus ? { ok: false, status, message, body } : { ok: false, status, message };
}

/** The failure without any answer: no connection, a timeout, an unreadable answer. */
export function noAnswer(call: ApiCall, reason: string): FailedAnswer {
  return { ok: false, status: undefined, message: `${whereOf(call)}: ${reason}` };
}

/**
 * A failure in one line with method, path, status and message, for logs and messages.
 *
 * ```ts
 * import { describeFailure } from "./api_answer.ts";
 * import assert from "node:assert/strict";
 * assert.equal(
 *   describeFailure({ method: "GET", path: "/api/v1/namespaces/a/configmaps/x" }, {
 *     ok: false, status: 404, message: 'configmaps "x" not found',
 *   }),
 *   'GET /api/v1/namespaces/a/configmaps/x: HTTP 404 Not Found: configmaps "x" not found',
 * );
 * ```
 */
export function describeFailure(call: ApiCall, failure: FailedAnswer): string {
  if (failure.message.startsWith(`${whereOf(call)}: `)) return failure.message;
  const status = failure.status === undefined ? "" : `HTTP ${statusLine(failure.status)}: `;
  return `${whereOf(call)}: ${status}${failure.message}`;
}

function whereOf(call: ApiCall): string {
  return `${call.method} ${call.path.length > 500 ? `${call.path.slice(0, 500)}…` : call.path}`;
}
