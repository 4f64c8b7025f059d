import { clipped, isObject, isString, type Json, type JsonObject, jsonSize } from "../../json/mod.ts";

/**
 * The most bytes of a report's rows. etcd takes no object above 1.5 MB, and the API server's answer to one is that the
 * write be tried again, which would fail again and again.
 */
const mostBytes = 1_000_000;

/** The characters of messages and properties in rows that are too large together, from long to short. */
const lengths = [2_000, 200];

/** The results of rows, from those that stay longest. */
const byWeight: readonly Json[] = ["fail", "error", "warn", "skip", "pass"];

/**
 * Rows that a report has room for. Where all do not fit, their texts are cut; where that is not enough, rows are left
 * out, those that passed first.
 */
export function storable(rows: readonly JsonObject[]): readonly JsonObject[] {
  if (sizeOf(rows) <= mostBytes) return rows;
  let short = rows;
  for (const length of lengths) {
    short = rows.map((row) => shortened(row, length));
    if (sizeOf(short) <= mostBytes) return short;
  }
  return firstThatFit(short);
}

function sizeOf(rows: readonly JsonObject[]): number {
  return jsonSize(rows, mostBytes);
}

function shortened(row: JsonObject, length: number): JsonObject {
  const { message, properties } = row;
  const cut = (text: Json): Json => isString(text) ? clipped(text, length) : text;
  return {
    ...row,
    ...(message !== undefined && { message: cut(message) }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, text]) => [name, cut(text)])),
    }),
  };
}

function firstThatFit(rows: readonly JsonObject[]): readonly JsonObject[] {
  const kept = new Set<JsonObject>();
  let size = 0;
  for (const result of byWeight) {
    for (const row of rows) {
      if (row["result"] !== result) continue;
      size += jsonSize(row) + 1;
      if (size > mostBytes) return rows.filter((each) => kept.has(each));
      kept.add(row);
    }
  }
  return rows.filter((each) => kept.has(each));
}
