import { Fault, type Json } from "../../json/mod.ts";
import { encodeBase64 } from "../go_base64.ts";
import { problemOf } from "./certificate.ts";
import { context, Der, tags } from "./der.ts";
import { extensionJson, type Fields, readAlternativeNames, readExtensions } from "./extensions.ts";
import { rsaKey, signatureAlgorithm } from "./key.ts";
import { asciiText, orNull, readName } from "./name.ts";

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeName = "2.5.29.17";

/** A certificate request with an RSA key in the JSON form of Go's `x509.CertificateRequest`. */
export function requestJson(bytes: Uint8Array): Json | Fault {
  const raw = new Der(bytes).whole(tags.sequence);
  const request = new Der(raw).read(tags.sequence);
  const rawBody = request.whole(tags.sequence);
  const body = new Der(rawBody).read(tags.sequence);
  const version = Number(body.integer());
  const rawSubject = body.whole(tags.sequence);
  const rawKey = body.whole(tags.sequence);
  const attributes = body.readIf(context(0, "constructed"));
  const algorithm = signatureAlgorithm(request.read(tags.sequence));
  const signature = request.bitString().bytes;
  const info = new Der(rawKey).read(tags.sequence);
  const key = rsaKey(info);
  const { shown, fields } = readAttributes(attributes);
  const subject = new Der(rawSubject).read(tags.sequence);
  const name = readName(subject);
  const problem = problemOf(request, "certificate request") ?? problemOf(body, "certificate request") ??
    problemOf(subject, "subject");
  if (problem !== undefined) return problem;
  if (key === undefined) return new Fault("certificate should use rsa algorithm");
  return problemOf(info, "subject public key info") ?? {
    Raw: encodeBase64(raw),
    RawTBSCertificateRequest: encodeBase64(rawBody),
    RawSubjectPublicKeyInfo: encodeBase64(rawKey),
    RawSubject: encodeBase64(rawSubject),
    Version: version,
    Signature: encodeBase64(signature),
    SignatureAlgorithm: algorithm,
    PublicKeyAlgorithm: 1,
    PublicKey: key,
    Subject: name,
    Attributes: orNull(shown),
    ExtraExtensions: null,
    ...fields,
  };
}

function readAttributes(
  attributes: Der | undefined,
): { readonly shown: readonly Json[]; readonly fields: Fields } {
  const fields: Fields = {
    Extensions: null,
    DNSNames: null,
    EmailAddresses: null,
    IPAddresses: null,
    URIs: null,
  };
  const shown: Json[] = [];
  attributes?.each((list) => {
    const attribute = list.read(tags.sequence);
    const type = attribute.objectIdentifier();
    const values = attribute.content(tags.set);
    const json = attributeValues(values);
    if (json !== undefined) shown.push({ Type: type, Value: json });
    if (type.join(".") !== extensionRequest) return;
    const extensions = readExtensions(new Der(values).read(tags.sequence));
    fields.Extensions = orNull(extensions.map(extensionJson));
    for (const { id, value } of extensions) {
      if (id.join(".") === alternativeName) {
        readAlternativeNames(new Der(value), fields);
      }
    }
  });
  return { shown, fields };
}

/** The values of an attribute if they are lists of typed values; `undefined` for other values, which Go leaves out. */
function attributeValues(bytes: Uint8Array): Json | undefined {
  const der = new Der(bytes);
  const values = der.each((set) =>
    set.read(tags.sequence).each((list): Json => {
      const pair = list.read(tags.sequence);
      return { Type: pair.objectIdentifier(), Value: anyValue(pair) };
    })
  );
  return der.problem === undefined ? values : undefined;
}

function anyValue(der: Der): Json {
  switch (der.next) {
    case tags.boolean:
      return der.boolean();
    case tags.integer:
      return Number(der.integer());
    case tags.octetString:
      return encodeBase64(der.content(tags.octetString));
    case tags.objectIdentifier:
      return der.objectIdentifier();
    case tags.utf8String:
    case tags.printableString:
    case tags.ia5String:
    case tags.numericString:
      return asciiText(der.content(der.next));
    default:
      return null;
  }
}
