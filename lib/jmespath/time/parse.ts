import { Fault, quoteAscii } from "../../json/mod.ts";
import { daysIn, type Instant, instantOf, isLeap } from "./instant.ts";
import { type Layout, longestTime } from "./layout.ts";
import { readers, type TimeReading } from "./readers.ts";

/** A text as a moment by a Go layout, like Go's `time.Parse`; the fault has Go's words. */
export function parseTime(layout: Layout, text: string): Instant | Fault {
  if (text.length > longestTime) return problem(text.slice(0, 50), ": text is too long");
  if (layout.source.length > longestTime) return problem(text, ": layout is too long");
  const reading: TimeReading = {
    rest: text,
    year: 0,
    month: -1,
    day: -1,
    dayOfYear: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanoseconds: 0,
    half: undefined,
    isUtc: false,
    offset: undefined,
    shownOffset: 0,
  };
  for (const [index, { before, element }] of layout.elements.entries()) {
    const mismatch = skip(reading, before);
    if (mismatch !== undefined) return cannotParse({ layout, text, rest: reading.rest, part: mismatch });
    const restBefore = reading.rest;
    const next = layout.elements[index + 1]?.element;
    const result = readers[element.element](reading, element, next);
    if (result === "bad") return cannotParse({ layout, text, rest: restBefore, part: element.text });
    if (result !== undefined) return problem(text, `: ${result.part} out of range`);
  }
  const mismatch = skip(reading, layout.tail);
  if (mismatch !== undefined) return cannotParse({ layout, text, rest: reading.rest, part: mismatch });
  if (reading.rest !== "") return problem(text, `: extra text: ${quoteAscii(reading.rest)}`);
  return complete(reading, text);
}

function cannotParse(
  { layout, text, rest, part }: {
    readonly layout: Layout;
    readonly text: string;
    readonly rest: string;
    readonly part: string;
  },
): Fault {
  const as = quoteAscii(layout.source);
  return new Fault(
    `parsing time ${quoteAscii(text)} as ${as}: cannot parse ${quoteAscii(rest)} as ${quoteAscii(part)}`,
  );
}

function problem(text: string, message: string): Fault {
  return new Fault(`parsing time ${quoteAscii(text)}${message}`);
}

/** Skips a fixed text; a run of spaces in it stands for any run. Answers what of it was not found. */
function skip(reading: TimeReading, text: string): string | undefined {
  let wanted = text;
  while (wanted !== "") {
    if (wanted[0] === " ") {
      if (reading.rest !== "" && reading.rest[0] !== " ") return text;
      wanted = wanted.replace(/^ +/, "");
      reading.rest = reading.rest.replace(/^ +/, "");
      continue;
    }
    if (reading.rest[0] !== wanted[0]) return text;
    wanted = wanted.slice(1);
    reading.rest = reading.rest.slice(1);
  }
  return undefined;
}

function complete(reading: TimeReading, text: string): Instant | Fault {
  let { year, month, day, hour } = reading;
  const { minute, second, nanoseconds } = reading;
  if (reading.half === "pm" && hour < 12) hour += 12;
  if (reading.half === "am" && hour === 12) hour = 0;
  if (reading.dayOfYear >= 0) {
    const date = dateOfDay(reading.dayOfYear, year);
    if (date === undefined) return problem(text, ": day-of-year out of range");
    if (month >= 0 && month !== date.month) return problem(text, ": day-of-year does not match month");
    if (day >= 0 && day !== date.day) return problem(text, ": day-of-year does not match day");
    ({ month, day } = date);
  }
  if (month < 0) month = 1;
  if (day < 0) day = 1;
  if (day < 1 || day > daysIn(month, year)) return problem(text, ": day out of range");
  const civil = { year, month, day, hour, minute, second };
  if (reading.isUtc) return instantOf(civil, nanoseconds, 0);
  if (reading.offset !== undefined) return instantOf(civil, nanoseconds, reading.offset);
  // A zone that only has a name is taken for UTC.
  return { ...instantOf(civil, nanoseconds, 0), offset: reading.shownOffset };
}

function dateOfDay(dayOfYear: number, year: number): { month: number; day: number } | undefined {
  if (dayOfYear < 1 || dayOfYear > (isLeap(year) ? 366 : 365)) return undefined;
  let month = 1, day = dayOfYear;
  while (day > daysIn(month, year)) day -= daysIn(month++, year);
  return { month, day };
}
