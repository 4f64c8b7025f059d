import { Fault, isFault, quoted } from "../json/mod.ts";

/** A semantic version. The identifiers have the order of the text. */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly (bigint | string)[];
  readonly build: readonly string[];
}

const uint64Max = 2n ** 64n - 1n;
const digitsOnly = /^[0-9]*$/;
const identifierOnly = /^[0-9A-Za-z-]*$/;

/** The version that `semver_compare` uses for an invalid text. */
export const zeroSemver: Semver = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

/**
 * Parses a version strictly by semver.org: three numbers, no `v`, no leading zeros.
 *
 * ```ts
 * import { parseSemver } from "./semver.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * assert.equal(isFault(parseSemver("1.2.3-rc.1+build")), false);
 * assert.equal(isFault(parseSemver("v1.2.3")), true);
 * ```
 */
export function parseSemver(text: string): Semver | Fault {
  if (text === "") return new Fault("Version string empty");
  const first = text.indexOf("."), second = text.indexOf(".", first + 1);
  if (first < 0 || second < 0) return new Fault("No Major.Minor.Patch elements found");
  let rest = text.slice(second + 1);
  let build: string[] = [], prerelease: string[] = [];
  const plus = rest.indexOf("+");
  if (plus >= 0) [build, rest] = [rest.slice(plus + 1).split("."), rest.slice(0, plus)];
  const minus = rest.indexOf("-");
  if (minus >= 0) [prerelease, rest] = [rest.slice(minus + 1).split("."), rest.slice(0, minus)];

  const major = parseNumber("major", text.slice(0, first));
  if (isFault(major)) return major;
  const minor = parseNumber("minor", text.slice(first + 1, second));
  if (isFault(minor)) return minor;
  const patch = parseNumber("patch", rest);
  if (isFault(patch)) return patch;
  const identifiers: (bigint | string)[] = [];
  for (const identifier of prerelease) {
    const parsed = parseIdentifier(identifier);
    if (isFault(parsed)) return parsed;
    identifiers.push(parsed);
  }
  for (const part of build) {
    if (part === "") return new Fault("Build meta data is empty");
    if (!identifierOnly.test(part)) {
      return new Fault(`Invalid character(s) found in build meta data ${quoted(part)}`);
    }
  }
  return { major, minor, patch, prerelease: identifiers, build };
}

function parseNumber(name: string, text: string): bigint | Fault {
  if (!digitsOnly.test(text)) {
    return new Fault(`Invalid character(s) found in ${name} number ${quoted(text)}`);
  }
  if (text.length > 1 && text[0] === "0") {
    const capital = name[0]!.toUpperCase() + name.slice(1);
    return new Fault(`${capital} number must not contain leading zeroes ${quoted(text)}`);
  }
  return parseUint64(text);
}

function parseUint64(text: string): bigint | Fault {
  if (text === "") return new Fault('strconv.ParseUint: parsing "": invalid syntax');
  const number = text.length > 20 ? uint64Max + 1n : BigInt(text);
  return number > uint64Max
    ? new Fault(`strconv.ParseUint: parsing ${quoted(text)}: value out of range`)
    : number;
}

function parseIdentifier(text: string): bigint | string | Fault {
  if (text === "") return new Fault("Prerelease is empty");
  if (digitsOnly.test(text)) {
    return text.length > 1 && text[0] === "0"
      ? new Fault(`Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`)
      : parseUint64(text);
  }
  if (identifierOnly.test(text)) return text;
  return new Fault(`Invalid character(s) found in prerelease ${quoted(text)}`);
}

/** Compares versions by precedence and returns -1, 0 or 1. It ignores build metadata. */
export function compareSemver(left: Semver, right: Semver): -1 | 0 | 1 {
  if (left.major !== right.major) return left.major < right.major ? -1 : 1;
  if (left.minor !== right.minor) return left.minor < right.minor ? -1 : 1;
  if (left.patch !== right.patch) return left.patch < right.patch ? -1 : 1;
  const a = left.prerelease, b = right.prerelease;
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : a.length === 0 ? 1 : -1;
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareIdentifiers(a[index]!, b[index]!);
    if (order !== 0) return order;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}

function compareIdentifiers(left: bigint | string, right: bigint | string): -1 | 0 | 1 {
  if (left === right) return 0;
  // Numeric identifiers have lower precedence than others.
  if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
  return left < right ? -1 : 1;
}

/** The version as text. */
export function formatSemver(version: Semver): string {
  const { major, minor, patch, prerelease, build } = version;
  const tail = `${prerelease.length > 0 ? `-${prerelease.join(".")}` : ""}${
    build.length > 0 ? `+${build.join(".")}` : ""
  }`;
  return `${major}.${minor}.${patch}${tail}`;
}
