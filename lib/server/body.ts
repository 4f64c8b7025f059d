import { maxReviewBytes } from "./review.ts";

/**
 * The text of a request's body; `undefined` when it is larger than a review may be. A body that says how long it is is
 * read by the runtime, which reads no more than was said; any other is opened as a stream, which costs as much as the
 * rest of a small request, and counted while it is read.
 */
export async function readBody(request: Request): Promise<string | undefined> {
  const length = request.headers.get("content-length");
  if (length !== null && request.headers.get("transfer-encoding") === null) {
    return Number(length) > maxReviewBytes ? undefined : await request.text();
  }
  const decoder = new TextDecoder();
  let bytes = 0, text = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > maxReviewBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
