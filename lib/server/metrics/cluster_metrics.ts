import type { PolicyIdentity } from "../../engine/mod.ts";
import { Counter, Gauge } from "./metric.ts";
import type { MetricRecord } from "./metric_table.ts";
import { labelsOfPolicy } from "./policy_labels.ts";
import { SeriesRoom } from "./series_room.ts";

/** The metrics of work on a live cluster; `metricTable` has the others. */
export const clusterMetricTable = {
  updateRequests: {
    type: "gauge",
    name: "kyverno_updaterequest_total",
    help: "UpdateRequests that are stored",
    labels: [],
  },
  droppedEvents: {
    type: "counter",
    name: "kyverno_events_dropped_total",
    help: "Events that were not written because too many waited",
    labels: [],
  },
  cleanedUp: {
    type: "counter",
    name: "kyverno_cleanup_controller_deletedobjects_total",
    help: "Objects that cleanup policies and deleting policies deleted",
    labels: ["policy_type", "policy_namespace", "policy_name"],
  },
  expired: {
    type: "counter",
    name: "kyverno_ttl_controller_deletedobjects_total",
    help: "Objects that were deleted because their cleanup.kyverno.io/ttl is over",
    labels: ["resource_group", "resource_resource"],
  },
} as const satisfies Record<string, MetricRecord>;

/** Functions that return numbers which other parts count, called when metrics are read. */
export interface Readings {
  readonly updateRequests: () => number;
  readonly droppedEvents: () => number;
}

/** Counts the work on a live cluster, for {@link Metrics.add}. Bundles do no such work. */
export class ClusterMetrics {
  readonly #room = new SeriesRoom(500_000);
  readonly #cleanedUp = new Counter(clusterMetricTable.cleanedUp, this.#room);
  readonly #expired = new Counter(clusterMetricTable.expired, this.#room);
  readonly #updateRequests = new Gauge(clusterMetricTable.updateRequests, this.#room);
  readonly #droppedEvents = new Counter(clusterMetricTable.droppedEvents, this.#room);
  #readings: Readings | undefined;

  /** Sets the functions that return numbers of other parts; before, these metrics have no series. */
  follow(readings: Readings): void {
    this.#readings = readings;
  }

  /** Counts an object that a cleanup policy deleted. */
  cleanedUp(policy: Pick<PolicyIdentity, "namespace" | "name">): void {
    const { type, namespace, name } = labelsOfPolicy({ ...policy, background: true });
    this.#cleanedUp.increment(type, namespace, name);
  }

  /** Counts an object that was deleted because its time to live was over. */
  expired(group: string, resource: string): void {
    this.#expired.increment(group, resource);
  }

  /** These metrics in Prometheus' text format. */
  text(): string {
    if (this.#readings !== undefined) {
      this.#updateRequests.set(this.#readings.updateRequests());
      this.#droppedEvents.at().value = this.#readings.droppedEvents();
    }
    const all = [this.#updateRequests, this.#droppedEvents, this.#cleanedUp, this.#expired];
    return all.map((metric) => metric.text()).join("");
  }
}
