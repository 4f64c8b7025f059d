import { clusterMetricTable } from "./cluster_metrics.ts";
import { type MetricRecord, metricTable, ruleMetrics } from "./metric_table.ts";

/** Every metric: those that each server has, those of work on a live cluster, and those of rules. */
export const metricRecords: readonly MetricRecord[] = [
  ...Object.values(metricTable),
  ...Object.values(clusterMetricTable),
  ...Object.values(ruleMetrics).flatMap(({ results, durations }): MetricRecord[] => [
    { type: "counter", ...results },
    durations,
  ]),
];
