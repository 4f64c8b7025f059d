import { isFault } from "../../json/mod.ts";
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  parseGoUrl,
  qualifiedNameProblems,
  withoutTrailingDash,
} from "../../kube/mod.ts";
import { type CelType, listType, opaqueType, optionalType, stringType } from "../types/mod.ts";
import { costSize, Opaque, Optional, parseTimestamp } from "../values/mod.ts";
import { type Library, method, overload, type Result } from "./library.ts";

const formatType: CelType<NamedFormat> = opaqueType("kubernetes.NamedFormat");

/** Returns the problems of a text; an empty list when it has the format. */
type Problems = (text: string) => readonly string[];

class NamedFormat extends Opaque {
  readonly type = formatType;
  readonly name: string;
  readonly problems: Problems;
  /** The length of the pattern from which the cost of a check is computed. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, problems: Problems) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.problems = problems;
  }

  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && this.name === other.name;
  }

  toString(): string {
    return this.name;
  }
}

function allOrNothing(holds: (text: string) => boolean, problem: string): Problems {
  return (text) => holds(text) ? [] : [problem];
}

function asPrefix(problems: Problems): Problems {
  return (text) => problems(withoutTrailingDash(text));
}

function uriProblems(text: string): readonly string[] {
  const url = parseGoUrl(text, "request");
  return isFault(url) ? [url.message] : [];
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    (text.startsWith("0000")
      ? isDate(`2000${text.slice(4)}`)
      : parseTimestamp(`${text}T00:00:00Z`) !== undefined);
}

/** A date, `t`, and a time with a zone; Kubernetes ignores parts after another `t`. */
function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

const formats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: new NamedFormat("DNS1123Label", 30, dnsLabelProblems),
  dns1123Subdomain: new NamedFormat("DNS1123Subdomain", 60, dnsSubdomainProblems),
  dns1035Label: new NamedFormat("DNS1035Label", 30, dns1035LabelProblems),
  qualifiedName: new NamedFormat("QualifiedName", 60, qualifiedNameProblems),
  dns1123LabelPrefix: new NamedFormat("DNS1123LabelPrefix", 30, asPrefix(dnsLabelProblems)),
  dns1123SubdomainPrefix: new NamedFormat("DNS1123SubdomainPrefix", 60, asPrefix(dnsSubdomainProblems)),
  dns1035LabelPrefix: new NamedFormat("DNS1035LabelPrefix", 30, asPrefix(dns1035LabelProblems)),
  labelValue: new NamedFormat("LabelValue", 40, labelValueProblems),
  uri: new NamedFormat("URI", 1103, uriProblems),
  uuid: new NamedFormat("uuid", 71, allOrNothing(isUuid, "does not match the UUID format")),
  byte: new NamedFormat("byte", 84, allOrNothing(isBase64, "invalid base64")),
  date: new NamedFormat("date", 71, allOrNothing(isDate, "invalid date")),
  datetime: new NamedFormat("datetime", 71, allOrNothing(isDateTime, "invalid datetime")),
};

function validate({ problems }: NamedFormat, text: string): Optional {
  const found = problems(text);
  return found.length === 0 ? Optional.none : Optional.of(found);
}

/** The cost of searching the text for the format's regular expression. */
function validating([format, text]: readonly Result[]): number {
  if (!(format instanceof NamedFormat)) return 1;
  return Math.ceil((1 + costSize(text)) * 0.1) * Math.ceil(format.patternSize * 0.25);
}

/** Named formats of texts: `format.dns1123Label()`, `format.named(name)`, and `validate(text)`. */
export const formatLibrary: Library = {
  name: "kubernetes.format",
  functions: [
    {
      name: "format.named",
      overloads: [
        overload({
          id: "format-named",
          takes: [stringType],
          gives: optionalType(formatType),
          call: (name) => Object.hasOwn(formats, name) ? Optional.of(formats[name]!) : Optional.none,
        }),
      ],
    },
    {
      name: "validate",
      overloads: [
        method({
          id: "format-validate",
          takes: [formatType, stringType],
          gives: optionalType(listType(stringType)),
          call: validate,
          cost: validating,
        }),
      ],
    },
    ...Object.entries(formats).map(([name, format]) => ({
      name: `format.${name}`,
      overloads: [overload({ id: `format.${name}`, takes: [], gives: formatType, call: () => format })],
    })),
  ],
};
