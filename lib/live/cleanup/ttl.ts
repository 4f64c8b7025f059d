import { parseDuration } from "../../kube/mod.ts";

/** The label with an object's time to live. */
export const ttlLabel = "cleanup.kyverno.io/ttl";

const milliseconds = 1, second = 1_000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

/** The units of lifetimes besides Go's, in milliseconds. */
const units: readonly (readonly [unit: RegExp, length: number])[] = [
  [/^(ns|nano.*|us|micro.*)$/, 0],
  [/^(ms|milli.*)$/, milliseconds],
  [/^(s|sec.*)$/, second],
  [/^(m|min.*)$/, minute],
  [/^(h|hr|hour.*)$/, hour],
  [/^(d|day.*)$/, day],
  [/^(w|wk|week.*)$/, 7 * day],
];

/** The end of an object's life by its label, in milliseconds since 1970; `undefined` when the label cannot be read. */
export function endOfLife(label: string, created: number): number | undefined {
  const lifetime = lifetimeOf(label);
  if (lifetime !== undefined) return created + lifetime;
  const date = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/.exec(label);
  if (date === null) return undefined;
  const [, on, hours = "00", minutes = "00", seconds = "00"] = date;
  const time = Date.parse(`${on}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * A time to live in milliseconds; `undefined` for a text without one. Kyverno parity: it may be `1w`, `2days` or
 * `1d12h`, and words without a unit of time count nothing. Pinned by tests/live/cleanup_times_test.ts.
 */
function lifetimeOf(label: string): number | undefined {
  const duration = parseDuration(label);
  if (duration !== undefined) return Number(duration / 1_000_000n);
  const tokens = label.match(/\d+|[a-z]+|[^\da-z]+/gi) ?? [];
  const parts = tokens.flatMap((token, index) => {
    const word = /^\d/.test(token) ? tokens[index + 1]?.toLowerCase() : undefined;
    const [, length] = units.find(([unit]) => word !== undefined && unit.test(word)) ?? [];
    return length === undefined ? [] : [Number(token) * length];
  });
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.length === 0 || total > longest ? undefined : total;
}

/** Go's longest duration, in milliseconds. */
const longest = Number(2n ** 63n / 1_000_000n);

/** Why a label is not a time to live; `undefined` when it is. */
export function ttlProblem(label: string): string | undefined {
  return endOfLife(label, 0) === undefined
    ? `failed to parse the ttl label "${label}": use a duration such as 1h or 2d, a date such as 2026-11-22, or 2026-11-22T150405Z`
    : undefined;
}
