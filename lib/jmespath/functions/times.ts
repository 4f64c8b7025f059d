import { Fault, type Json, quoted } from "../../json/mod.ts";
import { durationProblem, formatDuration, parseDuration } from "../../kube/mod.ts";
import type { Environment } from "../plan/value.ts";
import {
  civilOf,
  formatRfc3339,
  type Instant,
  instantOfMilliseconds,
  later,
  nanosecondsBetween,
  truncateTo,
} from "../time/instant.ts";
import { type Layout, longestTime, parseLayout, rfc3339 } from "../time/layout.ts";
import { parseTime } from "../time/parse.ts";
import { type Apply, type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

function time(text: Json | undefined): Instant | Fault {
  return parseTime(rfc3339, text as string);
}

function duration(text: Json | undefined): bigint | Fault {
  const given = text as string;
  if (given.length > longestTime) return new Fault("time: invalid duration: too long");
  return parseDuration(given) ?? new Fault(durationProblem(given) ?? "time: invalid duration");
}

/**
 * Applies a function to times read from the arguments in order; the fault of the first argument that is not a time is
 * the result.
 */
function onTimes(compute: (...times: readonly Instant[]) => Json): Apply {
  return (args) => {
    const times: Instant[] = [];
    for (const text of args) {
      const instant = time(text);
      if (instant instanceof Fault) return instant;
      times.push(instant);
    }
    return compute(...times);
  };
}

/** Applies a function to a time and a duration. */
function onTimeAndDuration(compute: (instant: Instant, nanoseconds: bigint) => Instant): Apply {
  return ([text, length]) => {
    const instant = time(text);
    if (instant instanceof Fault) return instant;
    const nanoseconds = duration(length);
    return nanoseconds instanceof Fault ? nanoseconds : formatRfc3339(compute(instant, nanoseconds));
  };
}

function layoutOf(text: string): Layout {
  return text === "" ? rfc3339 : parseLayout(text);
}

function since(layout: Layout, [, from, to]: readonly Json[], environment: Environment): Json | Fault {
  const start = parseTime(layout, from as string);
  if (start instanceof Fault) return start;
  const end = to === "" ? instantOfMilliseconds(environment.now()) : parseTime(layout, to as string);
  return end instanceof Fault ? end : formatDuration(nanosecondsBetween(start, end));
}

/** A layout that is a whole number says that the text is seconds since 1970. */
function parse(layout: string): Apply {
  const whole = /^[+-]?[0-9]+$/;
  if (whole.test(layout) && isInt64(layout)) {
    return ([, text]) => {
      const seconds = text as string;
      if (!whole.test(seconds)) {
        return new Fault(`strconv.ParseInt: parsing ${quoted(seconds)}: invalid syntax`);
      }
      if (!isInt64(seconds)) {
        return new Fault(`strconv.ParseInt: parsing ${quoted(seconds)}: value out of range`);
      }
      return formatRfc3339({ seconds: Number(seconds), nanoseconds: 0, offset: 0 });
    };
  }
  const parsed = parseLayout(layout);
  return ([, text]) => {
    const instant = parseTime(parsed, text as string);
    return instant instanceof Fault ? instant : formatRfc3339(instant);
  };
}

function isInt64(digits: string): boolean {
  return digits.length < longestTime &&
    BigInt.asIntN(64, BigInt(digits.replace("+", ""))) === BigInt(digits.replace("+", ""));
}

const cron = ({ minute, hour, day, month, weekday }: ReturnType<typeof civilOf>): string =>
  `${minute} ${hour} ${day} ${month} ${weekday}`;

type Described = Pick<FunctionRecord, "name" | "returns">;

/** The steps of a function of times: two or three microseconds. */
const stepsOfTime = 50;

function ofTexts(record: Described, names: readonly string[], apply: Apply): FunctionRecord {
  const parameters = names.map((name) => parameter(name, "string"));
  return { kind: "plain", parameters, steps: stepsOfTime, apply, ...record };
}

/** Kyverno's functions of time: RFC 3339 in and out, durations as Go writes them. */
export const times: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "time_since",
    parameters: [parameter("layout", "string"), parameter("from", "string"), parameter("to", "string")],
    returns: ["string"],
    steps: stepsOfTime,
    volatile: true,
    apply: (args, environment) => since(layoutOf(args[0] as string), args, environment),
    prepare: ([layout]) => {
      if (typeof layout !== "string") return undefined;
      const parsed = layoutOf(layout);
      return (args, environment) => since(parsed, args, environment);
    },
  },
  {
    kind: "plain",
    name: "time_now",
    parameters: [],
    anyCount: true,
    volatile: true,
    returns: ["string"],
    apply: (_args, environment) => formatRfc3339(instantOfMilliseconds(environment.now())),
  },
  {
    kind: "plain",
    name: "time_now_utc",
    parameters: [],
    anyCount: true,
    volatile: true,
    returns: ["string"],
    apply: (_args, environment) => formatRfc3339(instantOfMilliseconds(environment.now())),
  },
  ofTexts(
    {
      name: "time_add",
      returns: ["string"],
    },
    ["time", "duration"],
    onTimeAndDuration(later),
  ),
  {
    kind: "plain",
    name: "time_parse",
    parameters: [parameter("layout", "string"), parameter("text", "string")],
    returns: ["string"],
    steps: stepsOfTime,
    apply: (args, environment, budget) => parse(args[0] as string)(args, environment, budget),
    prepare: ([layout]) => typeof layout === "string" ? parse(layout) : undefined,
  },
  ofTexts(
    {
      name: "time_to_cron",
      returns: ["string"],
    },
    ["time"],
    onTimes((instant) => cron(civilOf(instant!))),
  ),
  ofTexts(
    {
      name: "time_utc",
      returns: ["string"],
    },
    ["time"],
    onTimes((instant) => formatRfc3339({ ...instant!, offset: 0 })),
  ),
  ofTexts(
    {
      name: "time_diff",
      returns: ["string"],
    },
    ["from", "to"],
    onTimes((from, to) => formatDuration(nanosecondsBetween(from!, to!))),
  ),
  ofTexts(
    {
      name: "time_before",
      returns: ["boolean"],
    },
    ["time", "other"],
    onTimes((instant, other) => nanosecondsBetween(instant!, other!) > 0n),
  ),
  ofTexts(
    {
      name: "time_after",
      returns: ["boolean"],
    },
    ["time", "other"],
    onTimes((instant, other) => nanosecondsBetween(instant!, other!) < 0n),
  ),
  ofTexts(
    {
      name: "time_between",
      returns: ["boolean"],
    },
    ["time", "start", "end"],
    onTimes((instant, start, end) =>
      nanosecondsBetween(start!, instant!) > 0n && nanosecondsBetween(instant!, end!) > 0n
    ),
  ),
  ofTexts(
    {
      name: "time_truncate",
      returns: ["string"],
    },
    ["time", "duration"],
    onTimeAndDuration(truncateTo),
  ),
];

/** The notes of these functions. */
export const timeNotes: FunctionNotes = {
  time_since: {
    summary:
      "The duration from one time to another, or to now when that is empty. The layout is Go's; empty is RFC 3339.",
    examples: [
      { expression: "time_since('', '2021-01-02T15:04:05Z', '2021-01-03T15:04:35Z')", result: "24h0m30s" },
    ],
  },
  time_now: {
    summary: "The current time; like time_now_utc, since the engine's clock is UTC.",
    examples: [{ expression: "length(time_now())", result: 20 }],
  },
  time_now_utc: {
    summary: "The current time in UTC.",
    examples: [{ expression: "ends_with(time_now_utc(), 'Z')", result: true }],
  },
  time_add: {
    summary: "A time and a duration later, in the same zone.",
    examples: [{
      expression: "time_add('2023-01-12T12:37:56+05:30', '1h')",
      result: "2023-01-12T13:37:56+05:30",
    }],
  },
  time_parse: {
    summary: "A text read by a Go layout; a layout of digits reads seconds since 1970.",
    examples: [
      {
        expression: "time_parse('02 Jan 06 15:04 -0700', '02 Jan 21 15:04 -0700')",
        result: "2021-01-02T15:04:00-07:00",
      },
      { expression: "time_parse('1', '1609601045')", result: "2021-01-02T15:24:05Z" },
    ],
  },
  time_to_cron: {
    summary: "The cron expression for a time, in the time's zone.",
    examples: [{ expression: "time_to_cron('2022-04-11T03:14:05-07:00')", result: "14 3 11 4 1" }],
  },
  time_utc: {
    summary: "A time in UTC.",
    examples: [{ expression: "time_utc('2021-01-02T18:04:05-07:00')", result: "2021-01-03T01:04:05Z" }],
  },
  time_diff: {
    summary: "The duration from the first time to the second.",
    examples: [{ expression: "time_diff('2021-01-02T15:04:05Z', '2021-01-02T15:04:04Z')", result: "-1s" }],
  },
  time_before: {
    summary: "Whether the first time is before the second.",
    examples: [{ expression: "time_before('2022-01-01T00:00:00Z', '2022-01-01T00:00:01Z')", result: true }],
  },
  time_after: {
    summary: "Whether the first time is after the second.",
    examples: [{ expression: "time_after('2022-01-01T00:00:00Z', '2022-01-01T00:00:01Z')", result: false }],
  },
  time_between: {
    summary: "Whether the first time is after the second and before the third.",
    examples: [
      {
        expression: "time_between('2022-01-02T00:00:00Z', '2022-01-01T00:00:00Z', '2022-01-03T00:00:00Z')",
        result: true,
      },
    ],
  },
  time_truncate: {
    summary: "A time rounded down to a multiple of a duration.",
    examples: [{
      expression: "time_truncate('2023-01-12T17:37:00Z', '1h')",
      result: "2023-01-12T17:00:00Z",
    }],
  },
};
