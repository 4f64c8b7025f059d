import { encodeParts } from "./asn1.ts";
import type { Certificate } from "./certificate.ts";

const sequenceTag = 0x30;

/** Attribute types of `2.5.4.N` in the order in which Go's certificates hold them, which writes them last first. */
const attributes: readonly (readonly [number: number, name: string])[] = [
  [6, "C"],
  [10, "O"],
  [11, "OU"],
  [7, "L"],
  [8, "ST"],
  [9, "STREET"],
  [17, "POSTALCODE"],
  [3, "CN"],
  [5, "SERIALNUMBER"],
];

/** The subject of a certificate as messages of Go write it (RFC 2253): `CN=web,O=Acme`, without rare attributes. */
export async function subjectText({ subject }: Certificate): Promise<string> {
  const { ASN1Obj } = await import("@sigstore/core");
  try {
    // A certificate has the name without its tag and length.
    const name = ASN1Obj.parseBuffer(Buffer.from(encodeParts(sequenceTag, [subject])));
    const pairs = name.subs.flatMap(({ subs }) => subs);
    const texts = pairs.map(({ subs: [type, value] }) =>
      [type!.toOID(), escaped(new TextDecoder().decode(value!.value))] as const
    );
    return attributes.flatMap(([number, name]) => {
      const values = texts.filter(([type]) => type === `2.5.4.${number}`).map(([, text]) =>
        `${name}=${text}`
      );
      return values.length === 0 ? [] : [values.join("+")];
    }).reverse().join(",");
  } catch {
    return "";
  }
}

/** Escapes what has a meaning in a name. */
function escaped(text: string): string {
  return text.replace(/[,+"\\<>;]|^[# ]| $/g, (each) => `\\${each}`);
}
