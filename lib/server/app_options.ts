import type { BackgroundWorker } from "../background/mod.ts";
import type { Decision, PolicyRequest, Snapshot } from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { AuditQueue } from "./audit.ts";
import type { FilterConfig } from "./filters.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { ParentKinds } from "./parent_kind.ts";
import type { ReviewRecorder } from "./recording.ts";
import type { HeapRoom } from "./review_memory.ts";
import type { Tracing } from "./tracing.ts";
import type { ReviewEndpoint } from "./review_route.ts";

/** The policies, ports and limits of the server's app. */
export interface AppOptions {
  /** The current policies. It is called for each request, so that a new snapshot takes effect at once. */
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Makes spans of reviews; without it there are none. */
  readonly tracing?: Tracing | undefined;
  readonly audit?: AuditQueue;
  /** Called with every decision at admission. */
  readonly decided?: (decision: Decision, request: PolicyRequest) => void;
  /** Carries out the effects of rules after a request was allowed. */
  readonly effects?: Pick<BackgroundWorker, "add">;
  /** Records reviews with their answers, so that they can be replayed. */
  readonly recorder?: ReviewRecorder | undefined;
  /**
   * Returns the filters for requests that are admitted without evaluating a policy. It is called for each request,
   * because the filters can change.
   */
  readonly filters?: () => FilterConfig;
  /** Returns the route of a path that is none of Kyverno's classic ones. */
  readonly routes?: (path: string) => ReviewEndpoint | undefined;
  /** Whether callers of `/scan` may send expressions; false by default. */
  readonly scanPreprocessors?: boolean;
  /**
   * The most bytes of heap of all long reviews (beyond 32 KiB) until they are answered, and of all short ones that wait
   * for loads: 40 and 24 MiB by default. Both are less while the heap has no room for them.
   */
  readonly reviewMemory?: { readonly long: number; readonly short: number; readonly hasRoom?: HeapRoom };
  /**
   * Looks up the kind of a custom resource whose subresource a request is about; without it those kinds count that
   * policies name.
   */
  readonly parents?: ParentKinds;
  /** The path below which requests must come: `/s3cret`. Only the API server has it. */
  readonly secretPath?: string;
}
