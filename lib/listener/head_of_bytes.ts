import type { Buffer } from "node:buffer";
import { plainAnswer } from "./answer_bytes.ts";
import type { ListenerAnswer } from "./handler.ts";
import { endOfHead, readHead, type RequestHead } from "./request_head.ts";

/** The head of a request, and the bytes that were read after it. */
export interface HeadOfBytes {
  readonly head: RequestHead;
  readonly rest: Uint8Array;
}

/** Parses the head with which bytes begin; `"incomplete"` until all of it has arrived, an answer that refuses it. */
export function headOf(bytes: Buffer, mostBytes: number): HeadOfBytes | ListenerAnswer | "incomplete" {
  // RFC 9112, section 2.2: a server ignores an empty line before a request.
  const start = bytes[0] === 13 && bytes[1] === 10 ? 2 : 0;
  const end = endOfHead(bytes, { from: start, most: mostBytes });
  if (end < 0) {
    return bytes.length > mostBytes
      ? plainAnswer(431, `the head is larger than ${mostBytes} bytes`)
      : "incomplete";
  }
  const head = readHead(bytes.toString("latin1", start, end));
  return "status" in head ? plainAnswer(head.status, head.message) : { head, rest: bytes.subarray(end + 4) };
}
