import { asList, asString, compareTexts, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf, uidOf } from "../../kube/mod.ts";
import type { ReportKind } from "./report_kind.ts";
import { rowResults } from "../../report/mod.ts";
import { storable } from "./storable_rows.ts";
import { textDigest } from "./text_digest.ts";

/** The labels of reports about policies. */
export const reportLabels = { "app.kubernetes.io/managed-by": "kyverno" } as const;

/**
 * The report about one object. Kyverno parity: each object has one report, which has its uid as name and the object
 * as owner; rows are sorted and counted. Pinned by tests/live/reports_test.ts.
 */
export function reportOf(
  resource: JsonObject,
  rows: readonly JsonObject[],
  reportKind: ReportKind,
): JsonObject {
  const namespace = namespaceOf(resource);
  const uid = uidOf(resource);
  const reference = {
    apiVersion: resource["apiVersion"] ?? "",
    kind: resource["kind"] ?? "",
    name: nameOf(resource),
    uid,
  };
  const sorted = rows.map((row) => ({ row, key: sortKey(row) }))
    .sort((left, right) => compareTexts(left.key, right.key)).map(({ row }) => row);
  return {
    apiVersion: reportKind.apiVersion,
    kind: (namespace === "" ? reportKind.clusterWide : reportKind.namespaced).kind,
    metadata: {
      name: uid,
      ...(namespace !== "" && { namespace }),
      labels: { ...reportLabels },
      ownerReferences: [reference],
    },
    scope: { ...reference, ...(namespace !== "" && { namespace }) },
    results: storable(sorted),
    summary: summaryOf(sorted),
  };
}

/** The digest of a report's rows without their times. A report with an equal digest is not written again. */
export function digestOf(report: JsonObject): string {
  const rows = asList(report["results"]).map((row) => {
    const { timestamp: _timestamp, ...rest } = row as { [name: string]: Json };
    return sortedText(rest);
  });
  return `${rows.length}:${textDigest(rows.join("\n"))}`;
}

/**
 * JSON with sorted keys, because the API server keeps no order. A replacer function of `JSON.stringify` would take
 * three times as long.
 */
function sortedText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (!isObject(value)) return `[${value.map(sortedText).join()}]`;
  let text = "{";
  for (const key of Object.keys(value).sort()) text += `${JSON.stringify(key)}:${sortedText(value[key]!)},`;
  return `${text}}`;
}

function summaryOf(rows: readonly JsonObject[]): JsonObject {
  const counts = new Map<Json, number>(rowResults.map((result) => [result, 0]));
  for (const { result = "" } of rows) counts.set(result, (counts.get(result) ?? 0) + 1);
  return Object.fromEntries(rowResults.map((result) => [result, counts.get(result)!]));
}

function sortKey({ policy, rule, source }: JsonObject): string {
  return `${asString(policy) ?? ""}\u0000${asString(rule) ?? ""}\u0000${asString(source) ?? ""}`;
}
