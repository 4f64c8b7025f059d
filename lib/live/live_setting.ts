import type { EventReason } from "../report/mod.ts";
import type { ReportKind } from "./reports/report_kind.ts";

/** The settings with which the policies of a cluster are followed. */
export interface LiveSetting {
  /** Milliseconds between two searches for objects whose time to live is over. */
  readonly lookForExpired: number;
  /** The reasons of events that are not written. */
  readonly omittedEvents: ReadonlySet<EventReason>;
  readonly reports: ReportKind;
  /** The results that reports have rows for: `pass`, `fail`, `warn`, `error`, `skip`. */
  readonly reportedResults: ReadonlySet<string>;
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures: boolean;
  /** The namespace whose exceptions count: `*` for all, empty for none. */
  readonly exceptionNamespace: string;
}
