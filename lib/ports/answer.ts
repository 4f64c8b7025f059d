import type { Json } from "../json/mod.ts";

/** An answer from outside: the received JSON, or the reason why there is none. */
export type Answer =
  | { readonly ok: true; readonly status: number; readonly body: Json }
  | {
    readonly ok: false;
    readonly status: number | undefined;
    readonly message: string;
    readonly body?: Json;
  };
