/** A moment with the zone it was written in, as Go's `time.Time`. */
export interface Instant {
  /** Seconds since 1970, before it negative. */
  readonly seconds: number;
  /** Nanoseconds within the second. */
  readonly nanoseconds: number;
  /** How far the zone's clock is ahead of UTC, in seconds. */
  readonly offset: number;
}

/** A date and a time of day on some clock; months count from 1. */
export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const perSecond = 1_000_000_000n;
const longest = 2n ** 63n - 1n;

/** Seconds from the first of January of the year 1 to 1970. */
const sinceYearOne = 62_135_596_800n;

/** Days from 1970 to a date of the Gregorian calendar, whatever the year. */
function daysTo(year: number, month: number, day: number): number {
  // Years begin in March, so that the leap day is the last.
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

/** The moment at which a clock with an offset shows a date and time. */
export function instantOf(civil: Civil, nanoseconds: number, offset: number): Instant {
  const days = daysTo(civil.year, civil.month, civil.day);
  const seconds = days * 86_400 + civil.hour * 3_600 + civil.minute * 60 + civil.second - offset;
  return { seconds, nanoseconds, offset };
}

/** The date and time of day in the moment's zone. */
export function civilOf({ seconds, offset }: Instant): Civil & { readonly weekday: number } {
  const local = seconds + offset;
  const days = Math.floor(local / 86_400), ofDay = local - days * 86_400;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097), ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
    hour: Math.floor(ofDay / 3_600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
    // The first of January 1970 was a Thursday.
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}

/** Whether a year has a leap day. */
export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** How many days a month has; months count from 1. */
export function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** A moment of UTC from milliseconds since 1970. */
export function instantOfMilliseconds(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / 1_000);
  return { seconds, nanoseconds: Math.trunc((milliseconds - seconds * 1_000) * 1e6), offset: 0 };
}

function nanosecondsOf({ seconds, nanoseconds }: Instant): bigint {
  return BigInt(seconds) * perSecond + BigInt(nanoseconds);
}

/** The moment at a number of nanoseconds since 1970, in the zone with this offset. */
function instantAt(total: bigint, offset: number): Instant {
  let seconds = total / perSecond, rest = total % perSecond;
  if (rest < 0n) [seconds, rest] = [seconds - 1n, rest + perSecond];
  return { seconds: Number(seconds), nanoseconds: Number(rest), offset };
}

/** Nanoseconds from one moment to another, at most what 64 bits hold. */
export function nanosecondsBetween(from: Instant, to: Instant): bigint {
  const difference = nanosecondsOf(to) - nanosecondsOf(from);
  if (difference > longest) return longest;
  return difference < -longest - 1n ? -longest - 1n : difference;
}

/** The moment a number of nanoseconds later, in the same zone. */
export function later(instant: Instant, nanoseconds: bigint): Instant {
  return instantAt(nanosecondsOf(instant) + nanoseconds, instant.offset);
}

/** The moment rounded down to a multiple of a duration since the year 1 of UTC; unchanged if that is not positive. */
export function truncateTo(instant: Instant, duration: bigint): Instant {
  if (duration <= 0n) return instant;
  const total = nanosecondsOf(instant) + sinceYearOne * perSecond;
  const rest = ((total % duration) + duration) % duration;
  return later(instant, -rest);
}

/** A moment in RFC 3339 without fractions: `2023-01-12T12:37:56+05:30`, `Z` for UTC. */
export function formatRfc3339(instant: Instant): string {
  const { year, month, day, hour, minute, second } = civilOf(instant);
  const date = `${padYear(year)}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${formatOffset(instant.offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return "Z";
  const minutes = Math.trunc(Math.abs(offset) / 60);
  return `${offset < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function padYear(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, "0")}` : String(year).padStart(4, "0");
}
