import type { EventReason } from "./events/event.ts";
import type { ReportKind } from "./reports/report_kind.ts";

/** How policies of a cluster are followed, as whoever starts Postern wants it. */
export interface LiveSetting {
  /** Milliseconds between two looks for objects whose time to live is over. */
  readonly lookForExpired: number;
  /** Events that are not written. */
  readonly omittedEvents: ReadonlySet<EventReason>;
  readonly reports: ReportKind;
  /** The results that reports have rows of: `pass`, `fail`, `warn`, `error`, `skip`. */
  readonly reportedResults: ReadonlySet<string>;
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures: boolean;
  /** The namespace whose exceptions count: `*` for all, empty for none. */
  readonly exceptionNamespace: string;
}
