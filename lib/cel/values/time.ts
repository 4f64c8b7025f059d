import { BoundedCache, withoutEnding } from "../../json/mod.ts";
import { work } from "../work.ts";
import { CelFault, failure } from "../fault.ts";
import { maxInt, minInt } from "./numbers.ts";
import { CelObject } from "./object.ts";

const nanosOfSecond = 1_000_000_000;
/** The first and last second of a timestamp, since 1970: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

/** A point in time to the nanosecond. It prints with the offset from UTC with which it was written. */
export class Timestamp extends CelObject {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  /** Nanoseconds after `seconds`, 0 to 999,999,999. */
  readonly nanos: number;
  /** The offset from UTC with which it prints, in seconds east. */
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }

  /** Nanoseconds since 1970. */
  get total(): bigint {
    return BigInt(this.seconds) * BigInt(nanosOfSecond) + BigInt(this.nanos);
  }
}

/** A span of time in nanoseconds, within 64 bits as in Go. */
export class Duration extends CelObject {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

/** A timestamp from nanoseconds since 1970, or the error when it lies outside the years 1 to 9999. */
export function toTimestamp(nanos: bigint, offset = 0): Timestamp | CelFault {
  let seconds = nanos / BigInt(nanosOfSecond), rest = nanos % BigInt(nanosOfSecond);
  if (rest < 0n) [seconds, rest] = [seconds - 1n, rest + BigInt(nanosOfSecond)];
  if (seconds < BigInt(firstSecond) || seconds > BigInt(lastSecond)) {
    return new CelFault("overflow", "timestamp overflow");
  }
  return new Timestamp(Number(seconds), Number(rest), offset);
}

/** A duration from nanoseconds, or the error when it does not fit into 64 bits. */
export function toDuration(nanos: bigint): Duration | CelFault {
  return nanos < minInt || nanos > maxInt
    ? new CelFault("overflow", "integer overflow")
    : new Duration(nanos);
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses an RFC 3339 time; `undefined` for another text or a time outside the range. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const shift = offsetSeconds(match[8]!);
  if (shift === undefined) return undefined;
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - shift;
  if (seconds < firstSecond || seconds > lastSecond) return undefined;
  return new Timestamp(seconds, Number((match[7] ?? "").slice(0, 9).padEnd(9, "0")), shift);
}

/** Whether a text has the form of an RFC 3339 time, which may still name a day that no month has. */
export function isRfc3339(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])t(?:[01]\d|2[0-3]):[0-5]\d:/i.test(text) &&
    /^(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.test(
      text.slice("2006-01-02T15:04:".length),
    );
}

/** The time as RFC 3339, with as many digits of a second as needed. */
export function formatTimestamp({ seconds, nanos, offset }: Timestamp): string {
  const { year, month, day, hour, minute, second } = civil(seconds + offset);
  const fraction = nanos === 0 ? "" : `.${withoutEnding(String(nanos).padStart(9, "0"), "0")}`;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return `${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return "Z";
  const minutes = Math.trunc(Math.abs(offset) / 60);
  return `${offset < 0 ? "-" : "+"}${pad(Math.trunc(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
}

/** The calendar fields of seconds since 1970, in UTC, or in local time when the offset was added. */
export interface CivilTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 0 is the first of January. */
  readonly yearDay: number;
}

/** Splits seconds since 1970 into calendar fields. */
export function civil(seconds: number): CivilTime {
  const days = Math.floor(seconds / 86_400), rest = seconds - days * 86_400;
  const date = new Date(days * 86_400_000);
  const year = date.getUTCFullYear(), month = date.getUTCMonth() + 1, day = date.getUTCDate();
  return {
    year,
    month,
    day,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    weekday: date.getUTCDay(),
    yearDay: days - daysFromCivil(year, 1, 1),
  };
}

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
function daysFromCivil(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / 86_400_000);
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Seconds east of UTC of `Z`, `+01:00` or `-02:30`. */
function offsetSeconds(text: string): number | undefined {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3)), minutes = Number(text.slice(4));
  if (hours > 24 || minutes > 59) return undefined;
  return (text[0] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** How many zeros a text begins with, among its first `most` characters. */
export function zerosBefore(text: string, most = text.length): number {
  let count = 0;
  while (count < most && text[count] === "0") count++;
  return count;
}

/** Parses a duration as Go's `time.ParseDuration` does (`1h30m`, `-1.5s`, `0`); `undefined` for another text. */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith("-");
  let rest = negative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return new Duration(0n);
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?([^\d.]+)/.exec(rest);
    const unit = match === null ? undefined : units.get(match[3]!);
    if (match === null || unit === undefined || (match[1] === "" && !match[2])) return undefined;
    // Digits beyond a nanosecond do not count, and no unit has more whole digits.
    const fraction = (match[2] ?? "").slice(0, 18), whole = match[1]!.slice(zerosBefore(match[1]!));
    if (whole.length > 20) return undefined;
    total += BigInt(whole || "0") * unit +
      (fraction === "" ? 0n : BigInt(fraction) * unit / 10n ** BigInt(fraction.length));
    if (total > maxInt + 1n) return undefined;
    rest = rest.slice(match[0].length);
  }
  const nanos = negative ? -total : total;
  return nanos > maxInt ? undefined : new Duration(nanos);
}

/** The duration in seconds, in the form of CEL's `string()`: `5400s`, `0.001s`. */
export function formatDuration({ nanos }: Duration): string {
  const seconds = durationSeconds(nanos);
  const text = String(seconds);
  return `${text.includes("e") ? seconds.toFixed(9).replace(/\.?(?<!0)0+$/, "") : text}s`;
}

/** Seconds as Go computes them: whole seconds plus the rest divided by a thousand million. */
export function durationSeconds(nanos: bigint): number {
  return Number(nanos / BigInt(nanosOfSecond)) + Number(nanos % BigInt(nanosOfSecond)) / nanosOfSecond;
}

/** Returns the format of a zone's times; `undefined` for a text that is not in the time zone database. */
export type ZoneFormat = (zone: string) => Intl.DateTimeFormat | undefined;

/**
 * The seconds east of UTC at a time, for `UTC`, a fixed offset (`+01:00`, `02:30`) or a name of the time zone
 * database.
 */
export function zoneOffset(zone: string, seconds: number, formatOf: ZoneFormat): number | CelFault {
  // The server's local zone counts as UTC, so that decisions do not depend on the machine.
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  if (zone.includes(":")) {
    const match = /^([+-]?)(\d{1,2}):(\d{1,2})$/.exec(zone);
    if (match === null) return failure(`invalid time zone: ${zone}`);
    return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3]) * 60);
  }
  // Names of zones differ by case, which the platform's formatter ignores.
  const isName = zone.length <= longestZone && /^[A-Z][\w+-]*(\/[A-Z0-9][\w+-]*)*$/.test(zone);
  const format = isName ? formatOf(zone) : undefined;
  if (format === undefined) return failure(`unknown time zone ${zone}`);
  const part = Object.fromEntries(
    format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
  );
  const year = part["era"] === "BC" ? 1 - Number(part["year"]) : Number(part["year"]);
  const local = daysFromCivil(year, Number(part["month"]), Number(part["day"])) * 86_400 +
    Number(part["hour"]) * 3600 + Number(part["minute"]) * 60 + Number(part["second"]);
  return local - seconds;
}

/** Characters; the longest name of a zone has 32. A request may bring a text of megabytes, which a cache would keep. */
const longestZone = 64;

/** The most zones whose formats one call caches. */
const maxCached = 8;

/** The nanoseconds of making a format. */
const workOfFormat = 70_000;

/** As {@link zoneFormat}, with a cache for one call in an expression. */
export function cachedZoneFormats(): ZoneFormat {
  const cached = new BoundedCache<{ readonly format: Intl.DateTimeFormat | undefined }>(maxCached);
  return (zone) =>
    cached.getOrMake(zone, () => {
      work(workOfFormat);
      return { format: zoneFormat(zone) };
    }).format;
}

/** The format of a zone. */
export function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    // The name is not in the database; the caller reports it.
    return undefined;
  }
}
