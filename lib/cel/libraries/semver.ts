import { Fault, isFault } from "../../json/mod.ts";
import { compareSemver, formatSemver, parseSemver, type Semver } from "../../kube/mod.ts";
import { readingEffort } from "../effort.ts";
import { CelFault } from "../fault.ts";
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/mod.ts";
import { Opaque, toInt } from "../values/mod.ts";
import { parsing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload, type Result } from "./library.ts";

const semverType: CelType<SemverValue> = opaqueType("kubernetes.Semver");

class SemverValue extends Opaque {
  readonly type = semverType;
  readonly version: Semver;

  constructor(version: Semver) {
    super();
    this.version = version;
  }

  equals(other: Opaque): boolean {
    return other instanceof SemverValue && compareSemver(this.version, other.version) === 0;
  }

  toString(): string {
    return formatSemver(this.version);
  }
}

/** The effort of parsing a version: each second character may begin an identifier, which takes memory too. */
const identifying = readingEffort(400);

/** A version without `v` and leading zeros, with zeros for missing numbers: `v01.2` is `1.2.0`. */
function normalized(text: string): string | Fault {
  const rest = text.startsWith("v") ? text.slice(1) : text;
  const first = rest.indexOf("."), second = first < 0 ? -1 : rest.indexOf(".", first + 1);
  const parts = second >= 0
    ? [rest.slice(0, first), rest.slice(first + 1, second), rest.slice(second + 1)]
    : rest.split(".");
  const plain = parts.map((part) => {
    if (part.length < 2) return part;
    const trimmed = part.replace(/^0+/, "");
    return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (plain.length < 3 && /[+-]/.test(plain.at(-1)!)) {
    return new Fault("short version cannot contain PreRelease/Build meta data");
  }
  while (plain.length < 3) plain.push("0");
  return plain.join(".");
}

function read(text: string, normalize: boolean): Semver | Fault {
  const plain = normalize ? normalized(text) : text;
  return isFault(plain) ? plain : parseSemver(plain);
}

function convert(text: string, normalize: boolean): Result {
  const version = read(text, normalize);
  if (!isFault(version)) return new SemverValue(version);
  return new CelFault(version.message.endsWith("out of range") ? "range" : "other", version.message);
}

function number(name: "major" | "minor" | "patch"): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id: `semver_${name}`,
        takes: [semverType],
        gives: intType,
        call: ({ version }) => toInt(BigInt.asIntN(64, version[name])),
      }),
    ],
  };
}

/** A comparison of two versions. */
function order(
  name: string,
  id: string,
  answer: { readonly gives: CelType; readonly of: (order: -1 | 0 | 1) => boolean | number },
): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id,
        takes: [semverType, semverType],
        gives: answer.gives,
        call: (left, right) => answer.of(compareSemver(left.version, right.version)),
      }),
    ],
  };
}

/** Semantic versions: `semver(text[, normalize])`, `isSemver(text[, normalize])`, their numbers and order. */
export const semverLibrary: Library = {
  name: "kubernetes.Semver",
  functions: [
    {
      name: "semver",
      overloads: [
        overload({
          id: "string_to_semver",
          takes: [stringType],
          gives: semverType,
          call: (text) => convert(text, false),
          cost: parsing,
          effort: identifying,
        }),
        overload({
          id: "string_bool_to_semver",
          takes: [stringType, boolType],
          gives: semverType,
          call: convert,
          cost: parsing,
          effort: identifying,
        }),
      ],
    },
    {
      name: "isSemver",
      overloads: [
        overload({
          id: "is_semver_string",
          takes: [stringType],
          gives: boolType,
          call: (text) => !isFault(read(text, false)),
          cost: parsing,
          effort: identifying,
        }),
        overload({
          id: "is_semver_string_bool",
          takes: [stringType, boolType],
          gives: boolType,
          call: (text, normalize) => !isFault(read(text, normalize)),
          cost: parsing,
          effort: identifying,
        }),
      ],
    },
    order("isGreaterThan", "semver_is_greater_than", { gives: boolType, of: (order) => order > 0 }),
    order("isLessThan", "semver_is_less_than", { gives: boolType, of: (order) => order < 0 }),
    order("compareTo", "semver_compare_to", { gives: intType, of: (order) => order }),
    number("major"),
    number("minor"),
    number("patch"),
  ],
};
