import type { Decision, PolicyRequest, Snapshot } from "../../engine/mod.ts";
import { completed, type Stages } from "../../json/mod.ts";
import { type AdmissionRequest, builtinKind, hasWildcard, parseKindSelectors } from "../../kube/mod.ts";
import { inSlices } from "../../slices.ts";
import type { Policy } from "../../policy/mod.ts";
import type { Scheduler } from "../../ports.ts";
import {
  Counter,
  type Distribution,
  Gauge,
  Histogram,
  other,
  seriesKey,
  type SeriesValue,
} from "./metric.ts";
import { metricTable } from "./metric_table.ts";
import { policyChanges } from "./policy_changes.ts";
import { labelsOfPolicy } from "./policy_labels.ts";
import { type ExecutionCause, RuleSeries } from "./rule_series.ts";
import { RuleTimes } from "./rule_times.ts";
import { SeriesRoom } from "./series_room.ts";

interface CachedAnswers {
  readonly operation: string;
  readonly allowed: boolean;
  readonly requests: SeriesValue;
  readonly duration: Distribution;
}

/** Metrics that another part counts. */
export interface MetricsPart {
  /** The metrics in Prometheus' text format. */
  text(): string;
}

/**
 * The server's metrics, with the names that Kyverno's dashboards use. Labels are few and bounded: no object names and
 * no namespaces of requests.
 */
export class Metrics {
  /** Bounds the page: one of 120 MB used up the memory. */
  readonly #room = new SeriesRoom(6_000_000);
  readonly #rulesRoom = new SeriesRoom(3_000_000);
  /** For metrics that keep the series of deleted policies, of which a user may create many. */
  readonly #formerRoom = new SeriesRoom(500_000);
  readonly #requests = new Counter(metricTable.requests, this.#room);
  readonly #duration = new Histogram(metricTable.reviewDuration, this.#room);
  readonly #rules = new Gauge(metricTable.rules, this.#rulesRoom);
  readonly #inForce = new Gauge(metricTable.inForce, this.#room);
  readonly #changes = new Counter(metricTable.changes, this.#formerRoom);
  readonly #recorded = new Counter(metricTable.recorded, this.#room);
  readonly #info = new Gauge(metricTable.info, this.#room);
  readonly #queries = new Counter(metricTable.queries, this.#room);
  readonly #ruleSeries = new RuleSeries(this.#room);
  /** The durations of rules. */
  readonly times: RuleTimes = new RuleTimes((timed) => this.#ruleSeries.timed(timed));
  /** The cached series of answers, by the kinds that have series. */
  readonly #answers = new Map<string, CachedAnswers[]>();
  /** The kinds that policies name. */
  #kinds: ReadonlySet<string> = new Set();
  #policies: readonly Policy[] = [];
  readonly #parts: MetricsPart[] = [];
  #loading: Promise<void> = Promise.resolve();

  constructor(version = "") {
    if (version !== "") this.#info.set(1, version);
  }

  /** Counts an answered request, with its duration in milliseconds. */
  reviewed(request: AdmissionRequest, allowed: boolean, milliseconds: number): void {
    const { operation } = request;
    const kind = this.#kindLabel(request.kind.kind);
    let answers = this.#answers.get(kind);
    if (answers === undefined) this.#answers.set(kind, answers = []);
    let cached = answers.find((each) => each.operation === operation && each.allowed === allowed);
    if (cached === undefined) {
      const labels = [operation.toLowerCase(), String(allowed)];
      cached = {
        operation,
        allowed,
        requests: this.#requests.at(kind, ...labels),
        duration: this.#duration.at(...labels),
      };
      answers.push(cached);
    }
    cached.requests.value++;
    this.#duration.add(milliseconds / 1000, cached.duration);
  }

  /** Counts the results of policies. */
  decided({ results }: Decision, request: PolicyRequest, cause: ExecutionCause = "admission_request"): void {
    if (results.length === 0) return;
    const { operation } = request;
    this.#ruleSeries.count(results, { kind: this.#kindLabel(request.kind), operation, cause });
  }

  /** Counts a call to the API server: `list` of `pods`. */
  called(operation: string, resource: string): void {
    this.#queries.increment(operation, resource);
  }

  /** Adds metrics to the page. */
  add(part: MetricsPart): void {
    this.#parts.push(part);
  }

  /** Counts a review that was recorded or dropped. */
  recorded(outcome: "written" | "dropped"): void {
    this.#recorded.increment(outcome);
  }

  /** Notes a snapshot that took effect, with the files' checksum. */
  loaded(snapshot: Snapshot, checksum = ""): void {
    completed(this.loading(snapshot, checksum));
  }

  /** The same in slices, one snapshot after the other. */
  loadedInSlices(
    snapshot: Snapshot,
    { checksum, scheduler }: { readonly checksum: string; readonly scheduler: Scheduler | undefined },
  ): Promise<void> {
    return this.#loading = this.#loading.then(() => inSlices(this.loading(snapshot, checksum), scheduler));
  }

  /** The same in stages. Run all stages of one snapshot before those of the next. */
  *loading(snapshot: Snapshot, checksum = ""): Stages<void> {
    const policies = snapshot.policies.map(({ policy }) => policy);
    for (const { policy, change } of yield* policyChanges(this.#policies, policies)) {
      this.#changes.increment(...policyLabels(policy), change);
      yield;
    }
    this.#policies = policies;
    yield* this.#ruleSeries.keep(snapshot.policies);
    yield* this.times.loading(snapshot);
    this.#inForce.reset();
    const broken = snapshot.policies.filter((policy) => policy.broken !== undefined).length;
    this.#inForce.set(policies.length - broken, checksum, "ready");
    this.#inForce.set(broken, checksum, "broken");
    this.#inForce.set(snapshot.leftOut.length, checksum, "left out");
    const { kinds, keys } = yield* rulesOf(snapshot);
    this.#kinds = kinds;
    this.#rules.setOnly(keys);
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    const all = [
      this.#requests,
      this.#duration,
      this.#rules,
      this.#changes,
      this.#info,
      this.#queries,
      this.#inForce,
      this.#recorded,
      ...this.#parts,
      ...this.#ruleSeries.metrics,
    ];
    return Promise.resolve(all.map((metric) => metric.text()).join(""));
  }

  /** The label of a kind. Requests choose kinds, so only those of Kubernetes and of policies have series. */
  #kindLabel(kind: string): string {
    return this.#kinds.has(kind) || builtinKind(kind) !== undefined ? kind : other;
  }
}

/** The kinds that policies name, and the keys of the series of all rules. */
function* rulesOf(
  { policies }: Snapshot,
): Stages<{ readonly kinds: ReadonlySet<string>; readonly keys: readonly string[] }> {
  const written = new Set<string>(), keys: string[] = [];
  for (const { policy, rules, broken } of policies) {
    for (const { rule, type, selector } of rules) {
      for (const { kinds } of selector.match.filters) for (const kind of kinds) written.add(kind);
      const labels = [...policyLabels(policy, rule.failureAction), rule.name, type];
      keys.push(seriesKey([...labels, String(broken === undefined)]));
    }
    yield;
  }
  const kinds = [...written].flatMap(parseKindSelectors).map(({ kind }) => kind);
  return { kinds: new Set(kinds.filter((kind) => !hasWildcard(kind))), keys };
}

function policyLabels(policy: Policy, action = policy.failureAction): string[] {
  const { background, namespace, name, type } = labelsOfPolicy(policy);
  return [action.toLowerCase(), background, namespace, name, type];
}
