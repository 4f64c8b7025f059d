import { parseDuration } from "../../kube/mod.ts";

/** The label with an object's time to live. */
export const ttlLabel = "cleanup.kyverno.io/ttl";

const day = 86_400_000;

/** The end of an object's life by its label, in milliseconds since 1970; `undefined` when the label cannot be read. */
export function endOfLife(label: string, created: number): number | undefined {
  const days = /^(\d+)d$/.exec(label);
  if (days !== null) return created + Number(days[1]) * day;
  const duration = parseDuration(label);
  if (duration !== undefined) return created + Number(duration / 1_000_000n);
  const date = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/.exec(label);
  if (date === null) return undefined;
  const [, on, hours = "00", minutes = "00", seconds = "00"] = date;
  const time = Date.parse(`${on}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Why a label is not a time to live; `undefined` when it is. */
export function ttlProblem(label: string): string | undefined {
  return endOfLife(label, 0) === undefined
    ? `failed to parse the ttl label "${label}": use a duration such as 1h, a date such as 2026-11-22, or 2026-11-22T150405Z`
    : undefined;
}
