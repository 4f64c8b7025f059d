import { asString, dig, type Json } from "../json/mod.ts";
import type { Answer } from "../ports.ts";
import type { FailedAnswer } from "./api_answer.ts";
import { itemsOf } from "./list_items.ts";

/** A page of a list. */
export interface ListPage {
  readonly ok: true;
  /** The answer of the API server. */
  readonly body: Json;
  readonly items: readonly Json[];
}

/** How pages are read. */
export interface ListPagesOptions {
  /** Sends a GET request. */
  readonly get: (path: string) => Promise<Answer>;
  /** The most objects in a page. */
  readonly pageSize?: number;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Objects in a page. With 500 reports or Pods and their managed fields, text and objects took 50 MiB more memory. */
const usualPageSize = 250;

/** A page that is too long is read again with so many times fewer objects. */
const shortening = 4;

/**
 * Lists the objects at a path page by page, so that memory holds one page however many objects there are. Pages become
 * shorter when one is too long to be read. A failed answer comes last; an answer that is not a list counts as failed.
 */
export async function* listPages(
  path: string,
  { get, pageSize = usualPageSize, labelSelector = "", fieldSelector = "" }: ListPagesOptions,
): AsyncGenerator<ListPage | FailedAnswer> {
  let limit = pageSize;
  for (let token: string | undefined = ""; token !== undefined;) {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(labelSelector !== "" && { labelSelector }),
      ...(fieldSelector !== "" && { fieldSelector }),
      ...(token !== "" && { continue: token }),
    });
    const answer = await get(`${path}?${query}`);
    if (!answer.ok && answer.isTooLong && limit > 1) {
      limit = Math.max(1, Math.floor(limit / shortening));
      continue;
    }
    if (!answer.ok) return yield answer;
    const items = itemsOf(answer.body);
    if (items === undefined) return yield { ok: false, status: undefined, message: "the answer is no list" };
    yield { ok: true, body: answer.body, items };
    token = asString(dig(answer.body, "metadata", "continue")) || undefined;
  }
}
