/** Heads of HTTP/1.1 requests: what is read, and what is refused because servers have read it differently. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readHead } from "../../lib/listener/request_head.ts";

const lines = (...all: string[]): string => all.join("\r\n");

const read: readonly [what: string, head: string, expected: object][] = [
  ["a GET without a body", lines("GET /health HTTP/1.1", "Host: a"), { method: "GET", body: { length: 0 } }],
  ["a GET of length 0", lines("GET / HTTP/1.1", "Host: a", "Content-Length: 0"), { body: { length: 0 } }],
  ["a query", lines("POST /validate?timeout=1s HTTP/1.1", "Host: a"), { target: "/validate?timeout=1s" }],
  ["a length", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 12"), { body: { length: 12 } }],
  ["chunks", lines("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: Chunked"), { body: "chunked" }],
  ["Connection: close", lines("GET / HTTP/1.1", "Host: a", "Connection: foo, Close"), { keepAlive: false }],
  ["HTTP/1.0", lines("GET / HTTP/1.0"), { keepAlive: false }],
  ["HTTP/1.0 with keep-alive", lines("GET / HTTP/1.0", "Connection: keep-alive"), { keepAlive: true }],
  ["Expect: 100-continue", lines("POST / HTTP/1.1", "Host: a", "Expect: 100-continue"), {
    expectsContinue: true,
  }],
  ["names in any case, values without space around", lines("GET / HTTP/1.1", "HOST:\t a b \t"), {
    headers: [["host", "a b"]],
  }],
];
for (const [what, head, expected] of read) {
  Deno.test(`a head with ${what} is read`, () => {
    const found = readHead(head);
    assert.ok(!("status" in found), JSON.stringify(found));
    assert.deepEqual({ ...found, ...expected }, found);
  });
}

const refused: readonly [what: string, head: string, status: number][] = [
  ["no request line", "", 400],
  ["a target that is no path", lines("GET http://a/ HTTP/1.1", "Host: a"), 400],
  ["a space in the target", lines("GET /a b HTTP/1.1", "Host: a"), 400],
  ["a method in lower case", lines("get / HTTP/1.1", "Host: a"), 400],
  ["HTTP/2", lines("PRI * HTTP/2.0"), 400],
  ["HTTP/2 with a path", lines("GET / HTTP/2.0"), 505],
  ["no host", lines("GET / HTTP/1.1"), 400],
  ["two hosts", lines("GET / HTTP/1.1", "Host: a", "Host: b"), 400],
  ["a folded header", lines("GET / HTTP/1.1", "Host: a", " b"), 400],
  ["a space before the colon", lines("GET / HTTP/1.1", "Host : a"), 400],
  ["a line feed alone", "GET / HTTP/1.1\nHost: a", 400],
  ["a NUL in a value", lines("GET / HTTP/1.1", "Host: a", "X: \u0000"), 400],
  ["two lengths", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 1", "Content-Length: 1"), 400],
  ["a length with a sign", lines("POST / HTTP/1.1", "Host: a", "Content-Length: +1"), 400],
  ["a list of lengths", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 1, 1"), 400],
  [
    "a length beyond all numbers",
    lines("POST / HTTP/1.1", "Host: a", `Content-Length: ${"9".repeat(20)}`),
    400,
  ],
  [
    "a length and chunks",
    lines("POST / HTTP/1.1", "Host: a", "Content-Length: 1", "Transfer-Encoding: chunked"),
    400,
  ],
  ["a GET with a length", lines("GET / HTTP/1.1", "Host: a", "Content-Length: 1"), 400],
  ["a HEAD with chunks", lines("HEAD / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"), 400],
  ["gzip", lines("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: gzip, chunked"), 501],
  ["a target that is too long", lines(`GET /${"a".repeat(4096)} HTTP/1.1`, "Host: a"), 414],
  ["a method for proxies", lines("TRACE / HTTP/1.1", "Host: a"), 501],
  ["chunks in HTTP/1.0", lines("POST / HTTP/1.0", "Transfer-Encoding: chunked"), 400],
  ["another expectation", lines("POST / HTTP/1.1", "Host: a", "Expect: a miracle"), 417],
  ["too many headers", lines("GET / HTTP/1.1", "Host: a", ...Array(120).fill("a: b")), 400],
];
for (const [what, head, status] of refused) {
  Deno.test(`a head with ${what} is refused with ${status}`, () => {
    const found = readHead(head);
    assert.equal("status" in found && found.status, status);
  });
}

Deno.test("any request head is read or refused", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "GET",
      " ",
      "/",
      "HTTP/1.1",
      "\r\n",
      "Host",
      ":",
      "Content-Length",
      "chunked",
      "\t",
      "\u0000",
    ),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
    const found = readHead(parts.join(""));
    assert.ok("status" in found ? found.message.length > 0 : found.target.startsWith("/"));
  }));
});
