import type { Element, LayoutElement } from "./layout.ts";
import { zoneNameLength } from "./zone_name.ts";

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The parts of a time that were read so far; -1 for a part that the layout did not name. */
export interface TimeReading {
  rest: string;
  year: number;
  month: number;
  day: number;
  dayOfYear: number;
  hour: number;
  minute: number;
  second: number;
  nanoseconds: number;
  half: "am" | "pm" | undefined;
  /** Whether a `Z` or `UTC` was read, which outweighs any offset. */
  isUtc: boolean;
  offset: number | undefined;
  /** The offset in a zone's name such as GMT+3, which only changes how the time is shown. */
  shownOffset: number;
}

/** Reads an element from the rest: `bad` when it is not there, or the name of the part whose value is out of range. */
export type Reader = (
  reading: TimeReading,
  element: LayoutElement,
  next: LayoutElement | undefined,
) => "bad" | OutOfRange | undefined;

/** A part of a time that was read and whose value is out of range. */
export interface OutOfRange {
  readonly part: string;
}

/** Takes what a pattern matches at the beginning of the rest. */
function take(reading: TimeReading, pattern: RegExp): string | undefined {
  const found = pattern.exec(reading.rest)?.[0];
  if (found !== undefined) reading.rest = reading.rest.slice(found.length);
  return found;
}

type Part = "year" | "month" | "day" | "hour" | "minute" | "second";

const oneOrTwo = /^[0-9]{1,2}/;
const exactlyTwo = /^[0-9]{2}/;

/** Reads a number into a part of the reading and checks its range. */
function number(part: Part, pattern: RegExp, [least, greatest]: readonly [number, number]): Reader {
  return (reading) => {
    const digits = take(reading, pattern);
    if (digits === undefined) return "bad";
    reading[part] = Number(digits);
    return reading[part] < least || reading[part] > greatest ? { part } : undefined;
  };
}

/** Reads a name of a list without regard to case, and passes its position, counted from 1, to `keep`. */
function name(names: readonly string[], keep: (reading: TimeReading, position: number) => void): Reader {
  return (reading) => {
    const position = names.findIndex((word) =>
      reading.rest.slice(0, word.length).toLowerCase() === word.toLowerCase()
    );
    if (position < 0) return "bad";
    reading.rest = reading.rest.slice(names[position]!.length);
    keep(reading, position + 1);
    return undefined;
  };
}

const keepMonth = (reading: TimeReading, position: number): void => {
  reading.month = position;
};
const short = (names: readonly string[]): readonly string[] => names.map((word) => word.slice(0, 3));

/** Any one or two digits: the days of the month are checked once the month and the year are read. */
const anyDay: readonly [number, number] = [0, 99];

/** How each element of a layout is read. */
export const readers: Readonly<Record<Element, Reader>> = {
  "long year": number("year", /^[0-9]{4}/, [0, 9999]),
  "year": (reading) => {
    const digits = take(reading, /^(?:[0-9]{2}|[+-][0-9])/);
    if (digits === undefined) return "bad";
    reading.year = Number(digits) + (Number(digits) >= 69 ? 1900 : 2000);
    return undefined;
  },
  "long month": name(months, keepMonth),
  "month": name(short(months), keepMonth),
  "number of month": number("month", oneOrTwo, [1, 12]),
  "zero month": number("month", exactlyTwo, [1, 12]),
  "long weekday": name(weekdays, () => {}),
  "weekday": name(short(weekdays), () => {}),
  "day": number("day", oneOrTwo, anyDay),
  "padded day": (reading, element, next) => {
    take(reading, /^ /);
    return number("day", oneOrTwo, anyDay)(reading, element, next);
  },
  "zero day": number("day", exactlyTwo, anyDay),
  "padded day of year": (reading) => {
    take(reading, /^ {1,2}/);
    return dayOfYear(reading, /^[0-9]{1,3}/);
  },
  "zero day of year": (reading) => dayOfYear(reading, /^[0-9]{3}/),
  "hour": number("hour", oneOrTwo, [0, 23]),
  "hour of 12": number("hour", oneOrTwo, [0, 12]),
  "zero hour of 12": number("hour", exactlyTwo, [0, 12]),
  "minute": number("minute", oneOrTwo, [0, 59]),
  "zero minute": number("minute", exactlyTwo, [0, 59]),
  "second": second(oneOrTwo),
  "zero second": second(exactlyTwo),
  "PM": (reading) => half(reading, /^[AP]M/),
  "pm": (reading) => half(reading, /^[ap]m/),
  "zone name": (reading) => {
    if (reading.rest.startsWith("UTC")) {
      reading.rest = reading.rest.slice(3);
      reading.isUtc = true;
      return undefined;
    }
    const length = zoneNameLength(reading.rest);
    if (length === 0) return "bad";
    const zone = reading.rest.slice(0, length);
    if (zone.startsWith("GMT") && length > 3) reading.shownOffset = Number(zone.slice(3)) * 3_600;
    reading.rest = reading.rest.slice(length);
    return undefined;
  },
  "offset": offset,
  "fraction": (reading, { text }) => {
    if (reading.rest.length < text.length || !/^[.,][0-9]+$/.test(reading.rest.slice(0, text.length))) {
      return "bad";
    }
    keepFraction(reading, text.length);
    return undefined;
  },
  "trimmed fraction": (reading) => {
    const length = /^[.,][0-9]+/.exec(reading.rest)?.[0].length;
    if (length !== undefined) keepFraction(reading, length);
    return undefined;
  },
};

function dayOfYear(reading: TimeReading, pattern: RegExp): "bad" | undefined {
  const digits = take(reading, pattern);
  if (digits === undefined) return "bad";
  reading.dayOfYear = Number(digits);
  return undefined;
}

function half(reading: TimeReading, pattern: RegExp): "bad" | undefined {
  const text = take(reading, pattern);
  if (text === undefined) return "bad";
  reading.half = text.toLowerCase() === "pm" ? "pm" : "am";
  return undefined;
}

/** Seconds; a fraction may follow even if the layout has none. */
function second(pattern: RegExp): Reader {
  const whole = number("second", pattern, [0, 59]);
  return (reading, element, next) => {
    const result = whole(reading, element, next);
    if (result !== undefined) return result;
    if (next?.element === "fraction" || next?.element === "trimmed fraction") return undefined;
    const length = /^[.,][0-9]+/.exec(reading.rest)?.[0].length;
    if (length !== undefined) keepFraction(reading, length);
    return undefined;
  };
}

function keepFraction(reading: TimeReading, length: number): void {
  reading.nanoseconds = Number(reading.rest.slice(1, Math.min(length, 10)).padEnd(9, "0"));
  reading.rest = reading.rest.slice(length);
}

const offsetParts = [
  { name: "hour", greatest: 24 },
  { name: "minute", greatest: 60 },
  { name: "second", greatest: 60 },
] as const;

function offset(reading: TimeReading, { text }: LayoutElement): "bad" | OutOfRange | undefined {
  if (text.startsWith("Z") && reading.rest.startsWith("Z")) {
    reading.rest = reading.rest.slice(1);
    reading.isUtc = true;
    return undefined;
  }
  // The layout's own form, with signs and digits in place of `-` or `Z` and `07`.
  const value = reading.rest.slice(0, text.length);
  if (value.length < text.length) return "bad";
  const width = text.includes(":") ? 3 : 2;
  for (let at = 3; at < text.length; at += width) {
    if (text[at] === ":" && value[at] !== ":") return "bad";
  }
  const parts: number[] = [];
  // Each number is checked before the next is read, and all before the sign.
  for (const part of offsetParts) {
    const at = 1 + parts.length * width;
    if (at >= text.length) break;
    const digits = value.slice(at, at + 2);
    if (!exactlyTwo.test(digits)) return "bad";
    if (Number(digits) > part.greatest) return { part: `time zone offset ${part.name}` };
    parts.push(Number(digits));
  }
  const [hours = 0, minutes = 0, seconds = 0] = parts, sign = value[0];
  if (sign !== "+" && sign !== "-") return "bad";
  const size = (hours * 60 + minutes) * 60 + seconds;
  reading.rest = reading.rest.slice(text.length);
  reading.offset = sign === "-" ? -size : size;
  return undefined;
}
