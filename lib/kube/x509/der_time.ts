import { type Der, tags } from "./der.ts";
import { asciiText } from "./name.ts";

const written = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(Z|[+-]\d{4})$/;

/** Reads a UTCTime or GeneralizedTime as RFC 3339, in the time zone of the text. */
export function readTime(der: Der): string {
  const isShort = der.next === tags.utcTime;
  const shown = format(
    asciiText(der.content(isShort ? tags.utcTime : tags.generalizedTime)),
    isShort ? 2 : 4,
  );
  if (shown === undefined) der.fail(`x509: malformed ${isShort ? "UTCTime" : "GeneralizedTime"}`);
  return shown ?? "";
}

function format(text: string, yearDigits: 2 | 4): string | undefined {
  const match = written.exec(text);
  if (match === null || match[1]!.length !== yearDigits) return undefined;
  const [, digits, month, day, hour, minute, second, zone] = match as unknown as string[];
  // A year of two digits is between 1950 and 2049.
  const year = yearDigits === 4 ? digits! : `${Number(digits) >= 50 ? "19" : "20"}${digits}`;
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // `Date` would turn a day that the month does not have into a day of the next month.
  const time = new Date(`${clock}Z`);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(clock)) return undefined;
  if (zone === "Z" || Number(zone) === 0) return `${clock}Z`;
  const hours = zone!.slice(1, 3), minutes = zone!.slice(3);
  return Number(hours) > 24 || Number(minutes) > 59 ? undefined : `${clock}${zone![0]}${hours}:${minutes}`;
}
