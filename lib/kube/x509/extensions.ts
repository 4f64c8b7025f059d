import { Fault, isFault, type Json } from "../../json/mod.ts";
import { encodeBase64 } from "../go_base64.ts";
import { context, Der, tags } from "./der.ts";
import { ipText, isNetworkMask } from "./ip.ts";
import { asciiText, orNull } from "./name.ts";
import { urlJson } from "./url.ts";

/** An extension of a certificate. */
export interface Extension {
  readonly id: readonly number[];
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Reads the extensions inside their SEQUENCE. */
export function readExtensions(der: Der): readonly Extension[] {
  return der.each((list) => {
    const extension = list.read(tags.sequence);
    const id = extension.objectIdentifier();
    const critical = extension.next === tags.boolean && extension.boolean();
    return { id, critical, value: extension.content(tags.octetString) };
  });
}

/** An extension in Go's JSON form. */
export function extensionJson({ id, critical, value }: Extension): Json {
  return { Id: id, Critical: critical, Value: encodeBase64(value) };
}

/** Fields of a certificate that come from an extension. */
export type Fields = { [field: string]: Json };

/** Reads an extension's value into fields; `unhandled` means that the reader supports none of its content. */
type Reader = (der: Der, fields: Fields, extension: Extension) => "unhandled" | void;

/** Reads the alternative names of a certificate into its fields. */
export function readAlternativeNames(der: Der, fields: Fields): "unhandled" | void {
  const names: { [field: string]: Json[] } = { DNSNames: [], EmailAddresses: [], IPAddresses: [], URIs: [] };
  der.read(tags.sequence).each((list) => {
    const tag = list.next;
    const content = list.content(tag);
    if (tag === context(1)) names.EmailAddresses!.push(asciiText(content));
    if (tag === context(2)) names.DNSNames!.push(asciiText(content));
    if (tag === context(6)) {
      const uri = urlJson(asciiText(content));
      if (isFault(uri)) list.fail(uri.message);
      else names.URIs!.push(uri);
    }
    if (tag !== context(7)) return;
    if (content.length === 4 || content.length === 16) names.IPAddresses!.push(ipText(content));
    else list.fail(`x509: cannot parse IP address of length ${content.length}`);
  });
  for (const [field, values] of Object.entries(names)) fields[field] = orNull(values);
  return Object.values(names).every((values) => values.length === 0) ? "unhandled" : undefined;
}

const keyUsages = [
  "2.5.29.37.0",
  "1.3.6.1.5.5.7.3.1",
  "1.3.6.1.5.5.7.3.2",
  "1.3.6.1.5.5.7.3.3",
  "1.3.6.1.5.5.7.3.4",
  "1.3.6.1.5.5.7.3.5",
  "1.3.6.1.5.5.7.3.6",
  "1.3.6.1.5.5.7.3.7",
  "1.3.6.1.5.5.7.3.8",
  "1.3.6.1.5.5.7.3.9",
  "1.3.6.1.4.1.311.10.3.3",
  "2.16.840.1.113730.4.1",
  "1.3.6.1.4.1.311.2.1.22",
  "1.3.6.1.4.1.311.61.1.1",
];

/** The readers of extensions, by object identifier. */
const readers: Readonly<Record<string, Reader>> = {
  "2.5.29.14": (der, fields, { critical }) => {
    if (critical) der.fail("x509: subject key identifier incorrectly marked critical");
    fields.SubjectKeyId = encodeBase64(der.content(tags.octetString));
  },
  "2.5.29.15": (der, fields) => {
    const { bytes, unused } = der.bitString();
    let usage = 0;
    for (let bit = 0; bit < 9 && bit < bytes.length * 8 - unused; bit++) {
      if (bytes[bit >> 3]! & (0x80 >> (bit & 7))) usage |= 1 << bit;
    }
    fields.KeyUsage = usage;
  },
  "2.5.29.17": readAlternativeNames,
  "2.5.29.19": (der, fields) => {
    const constraints = der.read(tags.sequence);
    const isAuthority = constraints.next === tags.boolean && constraints.boolean();
    const length = constraints.next === tags.integer ? Number(constraints.integer()) : -1;
    fields.BasicConstraintsValid = true;
    fields.IsCA = isAuthority;
    fields.MaxPathLen = length;
    fields.MaxPathLenZero = length === 0;
  },
  "2.5.29.30": readNameConstraints,
  "2.5.29.31": (der, fields) => {
    const urls: string[] = [];
    der.read(tags.sequence).each((points) => {
      const names = points.read(tags.sequence).readIf(context(0, "constructed"))?.read(
        context(0, "constructed"),
      );
      while (names?.next === context(6)) urls.push(asciiText(names.content(context(6))));
    });
    fields.CRLDistributionPoints = orNull(urls);
  },
  "2.5.29.32": (der, fields) => {
    const policies = der.read(tags.sequence).each((list) => list.read(tags.sequence).objectIdentifier());
    fields.Policies = policies.map((id) => id.join("."));
    fields.PolicyIdentifiers = policies;
  },
  "2.5.29.35": (der, fields, { critical }) => {
    if (critical) der.fail("x509: authority key identifier incorrectly marked critical");
    const identifier = der.read(tags.sequence).readIf(context(0));
    fields.AuthorityKeyId = identifier === undefined ? null : encodeBase64(identifier.bytes);
  },
  "2.5.29.36": (der, fields) => {
    const constraints = der.read(tags.sequence);
    for (const [tag, field] of [[0, "RequireExplicitPolicy"], [1, "InhibitPolicyMapping"]] as const) {
      const value = constraints.readIf(context(tag))?.bytes.at(-1);
      if (value === undefined) continue;
      fields[field] = value;
      fields[`${field}Zero`] = value === 0;
    }
  },
  "2.5.29.37": (der, fields) => {
    const usages: number[] = [], unknown: (readonly number[])[] = [];
    for (const id of der.read(tags.sequence).each((list) => list.objectIdentifier())) {
      const usage = keyUsages.indexOf(id.join("."));
      if (usage < 0) unknown.push(id);
      else usages.push(usage);
    }
    fields.ExtKeyUsage = orNull(usages);
    fields.UnknownExtKeyUsage = orNull(unknown);
  },
  "2.5.29.54": (der, fields) => {
    const value = Number(der.integer());
    fields.InhibitAnyPolicy = value;
    fields.InhibitAnyPolicyZero = value === 0;
  },
  "1.3.6.1.5.5.7.1.1": (der, fields, { critical }) => {
    if (critical) der.fail("x509: authority info access incorrectly marked critical");
    const servers: string[] = [], issuers: string[] = [];
    der.read(tags.sequence).each((list) => {
      const access = list.read(tags.sequence);
      const method = access.objectIdentifier().join(".");
      const location = access.readIf(context(6));
      if (location === undefined) return;
      if (method === "1.3.6.1.5.5.7.48.1") servers.push(asciiText(location.bytes));
      if (method === "1.3.6.1.5.5.7.48.2") issuers.push(asciiText(location.bytes));
    });
    fields.OCSPServer = orNull(servers);
    fields.IssuingCertificateURL = orNull(issuers);
  },
};

/** Reads the fields that come from extensions, and lists the unsupported critical extensions. */
export function processExtensions(der: Der, extensions: readonly Extension[], fields: Fields): void {
  const unhandled: (readonly number[])[] = [], seen = new Set<string>();
  for (const extension of extensions) {
    const id = extension.id.join(".");
    if (seen.has(id)) der.fail(`x509: certificate contains duplicate extension with OID "${id}"`);
    seen.add(id);
    const reader = Object.hasOwn(readers, id) ? readers[id] : undefined;
    const inner = new Der(extension.value);
    const understood = reader !== undefined && reader(inner, fields, extension) !== "unhandled";
    if (inner.problem?.startsWith("x509:")) der.fail(inner.problem);
    else if (inner.problem !== undefined) der.fail(`x509: invalid extension ${id}: ${inner.problem}`);
    if (extension.critical && !understood) unhandled.push(extension.id);
  }
  fields.UnhandledCriticalExtensions = orNull(unhandled);
}

/** Reads an address and a mask of the same length into Go's `net.IPNet`. */
function readIpRange(value: Uint8Array): Json | Fault {
  if (value.length !== 8 && value.length !== 32) {
    return new Fault(`x509: IP constraint contained value of length ${value.length}`);
  }
  const address = value.subarray(0, value.length / 2), mask = value.subarray(value.length / 2);
  return isNetworkMask(mask)
    ? { IP: ipText(address), Mask: encodeBase64(mask) }
    : new Fault(`x509: IP constraint contained invalid mask ${mask.toHex()}`);
}

function readNameConstraints(der: Der, fields: Fields, { critical }: Extension): "unhandled" | void {
  const constraints = der.read(tags.sequence);
  let unhandled = false;
  for (const [tag, prefix] of [[0, "Permitted"], [1, "Excluded"]] as const) {
    const found: { [kind: string]: Json[] } = {
      DNSDomains: [],
      EmailAddresses: [],
      URIDomains: [],
      IPRanges: [],
    };
    constraints.readIf(context(tag, "constructed"))?.each((trees) => {
      const tree = trees.read(tags.sequence);
      const kind = tree.next;
      const value = tree.content(kind);
      if (kind === context(1)) found.EmailAddresses!.push(asciiText(value));
      else if (kind === context(2)) found.DNSDomains!.push(asciiText(value));
      else if (kind === context(6)) found.URIDomains!.push(asciiText(value));
      else if (kind === context(7)) {
        const range = readIpRange(value);
        if (isFault(range)) tree.fail(range.message);
        else found.IPRanges!.push(range);
      } else unhandled = true;
    });
    for (const [kind, values] of Object.entries(found)) fields[prefix + kind] = orNull(values);
  }
  fields.PermittedDNSDomainsCritical = critical;
  return unhandled ? "unhandled" : undefined;
}
