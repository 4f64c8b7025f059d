import type { ByteBudget } from "./byte_budget.ts";
import type { DateHeader } from "./date_header.ts";
import type { Announced, Handler, ListenerAnswer } from "./handler.ts";
import type { KeptBytes } from "./kept_bytes.ts";
import type { Limits } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import type { JobTurns } from "./job_turns.ts";
import type { UnreadAnswers } from "./unread_answers.ts";

/** The handler, the limits and the budgets that all connections of a listener share. */
export interface Service {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly budget: ByteBudget;
  /** The budget of bodies that announce at most `smallBodyBytes`. */
  readonly smallBudget: ByteBudget;
  /** The bytes of requests that callers sent before the answers of their earlier ones. */
  readonly ahead: KeptBytes;
  readonly turns: JobTurns;
  readonly outbox: Outbox;
  readonly date: DateHeader;
  readonly unread: UnreadAnswers;
  /** Returns an answer to reject a request before the connection reads its body. */
  readonly screen: (announced: Announced) => ListenerAnswer | undefined;
  /** How many milliseconds the caller of this target waits. */
  readonly answerTime: (target: string) => number;
  /** Collects garbage when there is much: many buffers of requests and of TLS are freed with it alone. */
  readonly collectGarbage: () => void;
  /** Called when a handler throws. */
  readonly problem: (message: string) => void;
  /** Whether an answer ends a connection that began with the given certificate. */
  ends(generation: number): boolean;
  /** Reports that a request got its answer. */
  answered(): void;
}
