/** The dashboard: each query names metrics that are served, with labels that they have. */
import assert from "node:assert/strict";
import { panels } from "../../lib/server/metrics/dashboard.ts";
import { metricRecords } from "../../lib/server/metrics/metric_records.ts";
import { dashboard } from "../../lib/server/mod.ts";

/** Names of series to labels, as Prometheus stores them. */
const series = new Map(
  metricRecords.flatMap(({ name, type, labels }) =>
    type === "histogram"
      ? ["_bucket", "_sum", "_count"].map((suffix) => [name + suffix, [...labels, "le"]] as const)
      : [[name, labels] as const]
  ),
);

/** The metrics of a query, and the labels that it groups by or chooses by. */
function readQuery(
  query: string,
): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const metrics = query.match(/\b(?:kyverno|postern)_\w+/g) ?? [];
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
  const chosen = [...query.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!);
  return { metrics, labels: [...grouped, ...chosen] };
}

for (const { title, queries } of panels) {
  Deno.test(`the panel "${title}" reads existing metrics by existing labels`, () => {
    for (const [query, legend] of queries) {
      const { metrics, labels } = readQuery(query);
      assert.ok(metrics.length > 0, query);
      for (const metric of metrics) {
        const served = series.get(metric);
        assert.ok(served !== undefined, `${metric} is not served`);
        for (const label of labels) {
          assert.ok((served as readonly string[]).includes(label), `${metric} has no ${label}`);
        }
      }
      for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) assert.ok(labels.includes(label!), legend);
      assert.equal(query.split("(").length, query.split(")").length, query);
    }
  });
}

interface PanelModel {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

Deno.test("the dashboard's panels have unique ids and do not overlap", () => {
  const { panels: models, schemaVersion, uid } = dashboard() as unknown as {
    readonly panels: readonly PanelModel[];
    readonly schemaVersion: number;
    readonly uid: string;
  };
  assert.deepEqual([uid, typeof schemaVersion], ["postern", "number"]);
  assert.equal(new Set(models.map(({ id }) => id)).size, models.length);
  const cells = models.flatMap(({ gridPos: { x, y, w, h } }) => {
    assert.ok(x + w <= 24, "Grafana's grid has 24 columns");
    return Array.from({ length: w * h }, (_, index) => `${x + index % w} ${y + Math.floor(index / w)}`);
  });
  assert.equal(new Set(cells).size, cells.length, "panels overlap");
  for (const { targets } of models) {
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length);
  }
});
