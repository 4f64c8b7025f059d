import { isCelFault } from "../fault.ts";
import { durationType, intType, stringType, timestampType } from "../types/mod.ts";
import {
  cachedZoneFormats,
  civil,
  type CivilTime,
  type Timestamp,
  toInt,
  type ZoneFormat,
  zoneFormat,
  zoneOffset,
} from "../values/mod.ts";
import { type CelDialect, type FunctionDeclaration, method, type Overload, type Result } from "./library.ts";

interface Getter {
  readonly name: string;
  readonly id: string;
  readonly of: (fields: CivilTime) => number;
}

const getters: readonly Getter[] = [
  { name: "getFullYear", id: "year", of: ({ year }) => year },
  { name: "getMonth", id: "month", of: ({ month }) => month - 1 },
  { name: "getDayOfYear", id: "day_of_year", of: ({ yearDay }) => yearDay },
  { name: "getDayOfMonth", id: "day_of_month", of: ({ day }) => day - 1 },
  { name: "getDate", id: "day_of_month_1_based", of: ({ day }) => day },
  { name: "getDayOfWeek", id: "day_of_week", of: ({ weekday }) => weekday },
  { name: "getHours", id: "hours", of: ({ hour }) => hour },
  { name: "getMinutes", id: "minutes", of: ({ minute }) => minute },
  { name: "getSeconds", id: "seconds", of: ({ second }) => second },
];

const nanosPer: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
};

/** The fields of timestamps, in UTC or in a named time zone, and the whole units of durations. */
export function timeFunctions(dialect: CelDialect): readonly FunctionDeclaration[] {
  return [...fields, milliseconds(dialect)];
}

const fields: readonly FunctionDeclaration[] = getters.map(({ name, id, of }): FunctionDeclaration => {
  const per = nanosPer[name];
  const ofDuration: Overload[] = per === undefined ? [] : [
    method({
      id: `duration_to_${id}`,
      takes: [durationType],
      gives: intType,
      call: ({ nanos }) => toInt(nanos / per),
    }),
  ];
  return {
    name,
    overloads: [
      method({
        id: `timestamp_to_${id}`,
        takes: [timestampType],
        gives: intType,
        call: ({ seconds }) => of(civil(seconds)),
      }),
      method({
        id: `timestamp_to_${id}_with_tz`,
        takes: [timestampType, stringType],
        gives: intType,
        effort: workOfZone,
        ...inZone((formatOf) => ({ seconds }, zone) => {
          const offset = zoneOffset(zone, seconds, formatOf);
          return isCelFault(offset) ? offset : of(civil(seconds + offset));
        }),
      }),
      ...ofDuration,
    ],
  };
});

/** The nanoseconds of formatting a time in a zone. */
function workOfZone(): number {
  return 4_000;
}

type InZone = (time: Timestamp, zone: string) => Result;

/** A function of a time in a zone: with formats made each time, or cached for one call in an expression. */
function inZone(
  implementation: (formatOf: ZoneFormat) => InZone,
): { readonly call: InZone; readonly forCall: () => InZone } {
  return { call: implementation(zoneFormat), forCall: () => implementation(cachedZoneFormats()) };
}

function milliseconds(dialect: CelDialect): FunctionDeclaration {
  return {
    name: "getMilliseconds",
    overloads: [
      method({
        id: "timestamp_to_milliseconds",
        takes: [timestampType],
        gives: intType,
        call: ({ nanos }) => Math.trunc(nanos / 1_000_000),
      }),
      method({
        id: "timestamp_to_milliseconds_with_tz",
        takes: [timestampType, stringType],
        gives: intType,
        effort: workOfZone,
        ...inZone((formatOf) => ({ seconds, nanos }, zone) => {
          const offset = zoneOffset(zone, seconds, formatOf);
          return isCelFault(offset) ? offset : Math.trunc(nanos / 1_000_000);
        }),
      }),
      // All milliseconds in Kubernetes, those within the second by the specification.
      method({
        id: "duration_to_milliseconds",
        takes: [durationType],
        gives: intType,
        call: ({ nanos }) =>
          toInt(dialect === "kubernetes" ? nanos / 1_000_000n : nanos / 1_000_000n % 1000n),
      }),
    ],
  };
}
