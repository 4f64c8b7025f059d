const layout = "2006-01-02T15:04:05Z07:00";
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The parts of a timestamp in order, in the notation of Go's layout, with their patterns. */
const parts: readonly { readonly as: string; readonly pattern: RegExp }[] = [
  { as: "2006", pattern: /^\d{4}/ },
  { as: "-", pattern: /^-/ },
  { as: "01", pattern: /^\d\d/ },
  { as: "-", pattern: /^-/ },
  { as: "02", pattern: /^\d\d/ },
  { as: "T", pattern: /^T/ },
  { as: "15", pattern: /^\d\d?/ },
  { as: ":", pattern: /^:/ },
  { as: "04", pattern: /^\d\d/ },
  { as: ":", pattern: /^:/ },
  { as: "05", pattern: /^\d\d(?:[.,]\d+)?/ },
  { as: "Z07:00", pattern: /^(?:Z|[+-]\d\d:\d\d)/ },
];

/** Why a text is not an RFC 3339 timestamp, in Go's words; `undefined` when it is one. */
export function timestampProblem(text: string): string | undefined {
  const found: string[] = [];
  let rest = text;
  for (const { as, pattern } of parts) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) {
      return `parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${as}"`;
    }
    found.push(part);
    rest = rest.slice(part.length);
    const range = rangeProblem(as, found);
    if (range !== undefined) return `parsing time "${text}": ${range}`;
  }
  if (rest !== "") return `parsing time "${text}": extra text: "${rest}"`;
  return dayExists(found) ? undefined : `parsing time "${text}": day out of range`;
}

function rangeProblem(as: string, found: readonly string[]): string | undefined {
  const last = found.at(-1)!;
  switch (as) {
    case "01":
      return inRange(last, 1, 12) ? undefined : "month out of range";
    case "15":
      return inRange(last, 0, 23) ? undefined : "hour out of range";
    case "04":
      return inRange(last, 0, 59) ? undefined : "minute out of range";
    case "05":
      return inRange(last.slice(0, 2), 0, 59) ? undefined : "second out of range";
    case "Z07:00":
      if (last === "Z") return undefined;
      if (!inRange(last.slice(1, 3), 0, 24)) return "time zone offset hour out of range";
      return inRange(last.slice(4), 0, 60) ? undefined : "time zone offset minute out of range";
    default:
      return undefined;
  }
}

function inRange(digits: string, least: number, most: number): boolean {
  return Number(digits) >= least && Number(digits) <= most;
}

function dayExists(found: readonly string[]): boolean {
  const year = Number(found[0]), month = Number(found[2]), day = Number(found[4]);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : daysOfMonths[month - 1]!;
  return day >= 1 && day <= days;
}
