import { evaluate, type Snapshot } from "../engine/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { Deadline } from "./deadline.ts";
import type { Metrics } from "./metrics.ts";
import { policyRequest } from "./review.ts";

/** What the queue evaluates with. */
export interface AuditOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Requests that may wait; the oldest are dropped beyond it. */
  readonly capacity?: number;
}

/**
 * Evaluates audit rules after the answer has gone out: they cannot change it, so nobody should wait for them. Their
 * results go to metrics and log. The queue is bounded; what does not fit is dropped and counted in the log.
 */
export class AuditQueue {
  readonly #options: AuditOptions;
  readonly #waiting: AdmissionRequest[] = [];
  #running: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Takes a request that was answered. */
  add(request: AdmissionRequest): void {
    const snapshot = this.#options.snapshot();
    const about = { kind: request.kind.kind, operation: request.operation, namespace: request.namespace };
    const hasAudit = snapshot?.candidates("validate", about).some(({ audited }) => audited) ?? false;
    if (!hasAudit) return;
    if (this.#waiting.length >= (this.#options.capacity ?? 256)) {
      this.#waiting.shift();
      this.#dropped++;
    }
    this.#waiting.push(request);
    this.#running ??= this.#run();
  }

  /** Waits until everything that was taken is evaluated: for shutting down, and for tests. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Answers go first: the queue starts when the event loop has nothing else to do.
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      await this.#evaluate(request);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    this.#running = undefined;
    if (this.#dropped > 0) {
      this.#options.log.write("warn", "audit results dropped", { requests: this.#dropped });
      this.#dropped = 0;
    }
  }

  async #evaluate(request: AdmissionRequest): Promise<void> {
    const { snapshot, ports, log, metrics } = this.#options;
    const current = snapshot();
    if (current === undefined) return;
    const subject = policyRequest(request);
    const deadline = new Deadline(30_000);
    try {
      const decision = await evaluate(current, subject, {
        phase: "validate",
        rules: "audit",
        budget: 30_000,
        ports,
        deadline: () => deadline.signal(),
      });
      metrics.decided(decision, subject);
      for (const { policy, rules } of decision.results) {
        for (const rule of rules.filter(({ result }) => result === "fail" || result === "error")) {
          log.write("info", "audit", {
            uid: subject.uid,
            policy: policy.key,
            rule: rule.rule,
            result: rule.result,
            ruleMessage: rule.message,
          });
        }
      }
    } catch (cause) {
      log.write("error", "audit failed", { uid: subject.uid, cause: String(cause) });
    } finally {
      deadline.release();
    }
  }
}
