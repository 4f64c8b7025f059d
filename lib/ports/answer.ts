import type { Json } from "../json/mod.ts";

/** An answer from outside: the received JSON, or the reason why there is none. */
export type Answer =
  | {
    readonly ok: true;
    readonly status: number;
    readonly body: Json;
    /**
     * The time of the answer by the server's clock in milliseconds since 1970, a whole second; absent if it sent none.
     */
    readonly date?: number;
  }
  | {
    readonly ok: false;
    readonly status: number | undefined;
    readonly message: string;
    readonly body?: Json;
    /** Set when there is an answer, which is longer than what is read or kept of one. */
    readonly isTooLong?: true;
    /** Set where given answers stand in for what is called, and none is for this call: a given value replaces it. */
    readonly isNotGiven?: true;
  };
