import { Buffer } from "node:buffer";
import type { ListenerAnswer } from "./handler.ts";

/** Reason phrases of the statuses that Postern uses. Other statuses have none (RFC 9112, section 4). */
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};

/** Facts about the connection and the request that change the bytes of an answer. */
export interface AnswerStyle {
  /** Whether the connection ends with the answer. */
  readonly close: boolean;
  /** Whether the request is a HEAD request: its answer has a Content-Length and no body. */
  readonly isHead: boolean;
  /** The value of the header `Date`. */
  readonly date: string;
}

/**
 * Returns head and body of an answer as one piece of bytes. One write makes one TLS record and one segment. A body in a
 * second write would wait 40 milliseconds for the caller's delayed acknowledgement.
 */
export function answerBytes(
  { status, headers, body }: ListenerAnswer,
  { close, isHead, date }: AnswerStyle,
): Uint8Array {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  let head = `HTTP/1.1 ${status} ${reasons[status] ?? ""}\r\nDate: ${date}\r\nContent-Length: ${length}\r\n`;
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`;
  head += close ? "Connection: close\r\n\r\n" : "\r\n";
  if (isHead) return Buffer.from(head);
  return typeof body === "string" ? Buffer.from(head + body) : Buffer.concat([Buffer.from(head), body]);
}

/** Makes an answer of the listener itself, with a JSON message. */
export function plainAnswer(status: number, message: string): ListenerAnswer {
  const headers: [string, string][] = [["Content-Type", "application/json"]];
  if (status === 503) headers.push(["Retry-After", "1"]);
  return { status, headers, body: `${JSON.stringify({ message })}\n` };
}
