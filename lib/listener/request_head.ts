/** The head of an HTTP/1.1 request: the request line and the headers (RFC 9112, sections 2 to 6). */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent: `/validate/fail?timeout=10s`. */
  readonly target: string;
  /** Names in lower case, with the value of each line. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** How the body ends. */
  readonly body: { readonly length: number } | "chunked";
  /** Whether the caller wants to use the connection again. */
  readonly keepAlive: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** The status and the reason with which the listener rejects a head. The connection ends with this answer. */
export interface HeadRefusal {
  readonly status: 400 | 414 | 417 | 501 | 505;
  readonly message: string;
}

const requestLine = /^([A-Z]{1,20}) (\/[\x21-\x7e]*) HTTP\/(\d)\.(\d)$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const maxHeaders = 100;

/** Characters of a target. The longest that are served name a secret path, a policy and its namespace. */
const maxTarget = 4096;

/** Methods for proxies. A web `Request` with one of them cannot be made. */
const unservedMethods = new Set(["CONNECT", "TRACE", "TRACK"]);

/** The bytes that end a head: CR LF CR LF. */
const cr = 13, lf = 10;

/**
 * Returns where the empty line of a head begins, at or after `from`; -1 when it does not begin there, or only after
 * `most`. A search for these bytes by `Buffer.indexOf` takes 2 microseconds for the head of a review; this takes 0.1.
 *
 * ```ts
 * import { endOfHead } from "./request_head.ts";
 * import assert from "node:assert/strict";
 * const bytes = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: a\r\n\r\n{}");
 * assert.equal(endOfHead(bytes, { from: 0, most: 100 }), 23);
 * assert.equal(endOfHead(bytes, { from: 0, most: 22 }), -1);
 * ```
 */
export function endOfHead(
  bytes: Uint8Array,
  { from, most }: { readonly from: number; readonly most: number },
): number {
  const last = Math.min(bytes.length - 4, most);
  for (let at = from; at <= last; at++) {
    if (bytes[at] === cr && bytes[at + 1] === lf && bytes[at + 2] === cr && bytes[at + 3] === lf) return at;
  }
  return -1;
}

/**
 * Parses a head, without the empty line at its end. It is strict where servers and proxies have disagreed before: lines
 * end with CR LF, the colon follows the header name directly, no header is folded, and a body has one length.
 *
 * ```ts
 * import { readHead } from "./request_head.ts";
 * import assert from "node:assert/strict";
 * const head = readHead("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 2");
 * assert.ok(!("status" in head));
 * assert.deepEqual([head.target, head.body, head.keepAlive], ["/validate", { length: 2 }, true]);
 * ```
 */
export function readHead(text: string): RequestHead | HeadRefusal {
  const lines = text.split("\r\n");
  const [, method, target, major, minor] = requestLine.exec(lines[0]!) ?? [];
  if (method === undefined || target === undefined) return refuse("the request line is malformed");
  if (target.length > maxTarget) {
    return { status: 414, message: `the target is longer than ${maxTarget} characters` };
  }
  if (unservedMethods.has(method)) return { status: 501, message: `${method} is not served here` };
  if (major !== "1") return { status: 505, message: "only HTTP/1.1 is served here" };
  if (lines.length > maxHeaders + 1) return refuse(`there are more than ${maxHeaders} headers`);
  const headers: [string, string][] = [];
  for (let index = 1; index < lines.length; index++) {
    const header = readHeader(lines[index]!);
    if (header === undefined) return refuse("a header is malformed");
    headers.push(header);
  }
  return withMeaning({ method, target, headers, isOld: minor === "0" });
}

/**
 * Reads a header line in linear time. One regular expression for the line, which also left out the spaces around the
 * value, took 20 minutes for 16 KB of spaces.
 */
function readHeader(line: string): [name: string, value: string] | undefined {
  const colon = line.indexOf(":"), name = line.slice(0, Math.max(colon, 0));
  let start = colon + 1, end = line.length;
  while (start < end && isSpace(line, start)) start++;
  while (end > start && isSpace(line, end - 1)) end--;
  const value = line.slice(start, end);
  return headerName.test(name) && headerValue.test(value) ? [name.toLowerCase(), value] : undefined;
}

function isSpace(line: string, at: number): boolean {
  return line[at] === " " || line[at] === "\t";
}

interface Written extends Pick<RequestHead, "method" | "target" | "headers"> {
  /** HTTP/1.0. */
  readonly isOld: boolean;
}

function withMeaning({ method, target, headers, isOld }: Written): RequestHead | HeadRefusal {
  let keepAlive = !isOld, expectsContinue = false, hosts = 0;
  let length: number | undefined, isChunked = false;
  for (const [name, value] of headers) {
    switch (name) {
      case "host":
        hosts++;
        break;
      case "content-length":
        if (length !== undefined || !/^\d{1,15}$/.test(value)) return refuse("Content-Length is malformed");
        length = Number(value);
        break;
      case "transfer-encoding":
        if (isChunked || isOld) return refuse("Transfer-Encoding is malformed");
        if (value.toLowerCase() !== "chunked") {
          return { status: 501, message: "the only Transfer-Encoding is chunked" };
        }
        isChunked = true;
        break;
      case "connection": {
        const options = value.toLowerCase().split(",").map((option) => option.trim());
        if (options.includes("close")) keepAlive = false;
        else if (isOld && options.includes("keep-alive")) keepAlive = true;
        break;
      }
      case "expect":
        if (value.toLowerCase() !== "100-continue") {
          return { status: 417, message: "the only expectation is 100-continue" };
        }
        expectsContinue = !isOld;
    }
  }
  if (hosts > 1 || hosts === 0 && !isOld) return refuse("there must be one Host");
  if (isChunked && length !== undefined) {
    return refuse("a body has Content-Length or Transfer-Encoding, not both");
  }
  // Everybody may send these two, so their bodies would take memory from those who may send reviews.
  if ((method === "GET" || method === "HEAD") && (isChunked || (length ?? 0) > 0)) {
    return refuse(`a ${method} request has no body here`);
  }
  const body = isChunked ? "chunked" : { length: length ?? 0 };
  return { method, target, headers, body, keepAlive, expectsContinue };
}

function refuse(message: string): HeadRefusal {
  return { status: 400, message };
}
