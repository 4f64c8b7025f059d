import type { Json } from "../../json/mod.ts";
import { type Der, tags } from "./der.ts";

/** The attributes for which Go has a list field, by the last number of `2.5.4.N`. */
const lists: ReadonlyMap<number, string> = new Map([
  [6, "Country"],
  [7, "Locality"],
  [8, "Province"],
  [9, "StreetAddress"],
  [10, "Organization"],
  [11, "OrganizationalUnit"],
  [17, "PostalCode"],
]);
const singles: ReadonlyMap<number, string> = new Map([[3, "CommonName"], [5, "SerialNumber"]]);

/** Reads a distinguished name in the JSON form of Go's `pkix.Name`. */
export function readName(der: Der): Json {
  const names: Json[] = [];
  const single: { [name: string]: string } = { CommonName: "", SerialNumber: "" };
  const list = new Map<string, string[]>();
  der.each((sets) => {
    sets.read(tags.set).each((set) => {
      const attribute = set.read(tags.sequence);
      const type = attribute.objectIdentifier();
      const value = readString(attribute);
      names.push({ Type: type, Value: value });
      const last = type.length === 4 && type[0] === 2 && type[1] === 5 && type[2] === 4 ? type[3]! : -1;
      const one = singles.get(last), many = lists.get(last);
      if (one !== undefined) single[one] = value;
      if (many !== undefined) list.set(many, [...list.get(many) ?? [], value]);
    });
  });
  const listed = [...lists.values()].map((field) => [field, list.get(field) ?? null] as const);
  return { ...Object.fromEntries(listed), ...single, Names: orNull(names), ExtraNames: null };
}

/** Returns null for an empty list, as Go prints empty lists in JSON. */
export function orNull<T extends Json>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const latin1 = new TextDecoder("latin1");
const utf16 = new TextDecoder("utf-16be");

/** Decodes bytes that a structure declares as ASCII text. */
export function asciiText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

function readString(der: Der): string {
  const tag = der.next;
  switch (tag) {
    case tags.utf8String:
    case tags.printableString:
    case tags.numericString:
    case tags.ia5String:
      return utf8.decode(der.content(tag));
    case tags.t61String:
      return latin1.decode(der.content(tag));
    case tags.bmpString: {
      const text = utf16.decode(der.content(tag));
      return text.endsWith("\0") ? text.slice(0, -1) : text;
    }
    default:
      der.fail("x509: invalid RDNSequence: invalid attribute value");
      return "";
  }
}
