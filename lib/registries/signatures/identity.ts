import { RE2JS } from "re2js";
import { BoundedCache, Fault, isFault } from "../../json/mod.ts";
import { matchWildcard } from "../../kube/mod.ts";
import type { Identity, Signer } from "../../ports.ts";
import type { Certificate } from "./certificate.ts";

type Keyless = Extract<Signer, { readonly kind: "keyless" }>;

/** `bundle` compares texts literally, and also reads the issuer from Fulcio's newer extension. */
type Comparison = Pick<Keyless, "identities" | "extensions"> & {
  readonly compare: Keyless["compare"] | "bundle";
};

/** Fulcio's extensions that are plain texts, by the names that policies use (Fulcio's `oid-info`). */
const extensionNames: Readonly<Record<string, string>> = {
  oidcIssuer: "1.3.6.1.4.1.57264.1.1",
  githubWorkflowTrigger: "1.3.6.1.4.1.57264.1.2",
  githubWorkflowSha: "1.3.6.1.4.1.57264.1.3",
  githubWorkflowName: "1.3.6.1.4.1.57264.1.4",
  githubWorkflowRepository: "1.3.6.1.4.1.57264.1.5",
  githubWorkflowRef: "1.3.6.1.4.1.57264.1.6",
};
const extensionOids = Object.values(extensionNames);

/** Why no certificate satisfies the policy's identities; `undefined` when one does. */
export function refusesIdentity(
  { identities, compare, extensions }: Comparison,
  certificates: readonly Certificate[],
  patterns: IdentityPatterns,
): string | undefined {
  const same = compare === "wildcards" ? matchWildcard : (pattern: string, text: string) => pattern === text;
  const needsName = compare !== "wildcards";
  const reasons: string[] = [];
  for (const certificate of certificates) {
    const wanted = identities.length === 0 ? [nobody] : identities;
    const why = wanted.map((identity) =>
      refusal(identity, { certificate, same, needsName, newer: compare === "bundle", extensions, patterns })
    );
    if (why.includes(undefined)) return undefined;
    reasons.push(why[0] ?? "");
  }
  return reasons.join("; ");
}

const nobody: Identity = { issuer: "", issuerRegExp: "", subject: "", subjectRegExp: "" };

interface Presented {
  readonly certificate: Certificate;
  readonly same: (pattern: string, text: string) => boolean;
  /** Whether to refuse a certificate without any name. */
  readonly needsName: boolean;
  /** Whether the issuer may be in Fulcio's newer extension. */
  readonly newer: boolean;
  readonly extensions: Readonly<Record<string, string>>;
  readonly patterns: IdentityPatterns;
}

function refusal(identity: Identity, presented: Presented): string | undefined {
  const { certificate, extensions } = presented;
  const subject = refusesSubject(identity, presented);
  if (subject !== undefined) return subject;
  const received = (presented.newer ? newerIssuer(certificate) : undefined) ??
    extensionText(certificate, "oidcIssuer") ?? "";
  const issuer = refusesIssuer(identity, received, presented);
  if (issuer !== undefined) return issuer;
  for (const [name, value] of Object.entries(extensions)) {
    if (!isExtension(name)) return `invalid certificate extension ${name}`;
    const received = extensionText(certificate, name) ?? "";
    if (!presented.same(value, received)) {
      return `extension mismatch: expected ${value} for key ${name}, received ${received}`;
    }
  }
  return undefined;
}

/**
 * Kyverno parity: subject or regular expression suffices, and a certificate without any name passes. Pinned by
 * tests/contract/signatures.ts.
 */
function refusesSubject(
  { subject, subjectRegExp }: Identity,
  { certificate: { names }, same, needsName, patterns }: Presented,
): string | undefined {
  if (subject === "" && subjectRegExp === "") return undefined;
  if (names.length === 0 && !needsName) return undefined;
  const pattern = patterns.compile("subject", subjectRegExp);
  if (isFault(pattern)) return pattern.message;
  const matches = names.some((name) =>
    (subject !== "" && same(subject, name)) || (subjectRegExp !== "" && pattern(name))
  );
  const expected = subject === "" ? subjectRegExp : subject;
  return matches ? undefined : `subject mismatch: expected ${expected}, received ${names.join(", ")}`;
}

/** Kyverno parity: issuer and regular expression must both match. Pinned by tests/contract/signatures.ts. */
function refusesIssuer(
  { issuer, issuerRegExp }: Identity,
  received: string,
  { same, patterns }: Presented,
): string | undefined {
  const mismatch = (expected: string) => `issuer mismatch: expected ${expected}, received ${received}`;
  if (issuer !== "" && !same(issuer, received)) return mismatch(issuer);
  if (issuerRegExp === "") return undefined;
  const pattern = patterns.compile("issuer", issuerRegExp);
  if (isFault(pattern)) return pattern.message;
  return pattern(received) ? undefined : mismatch(issuerRegExp);
}

/** Why no certificate of any signer can satisfy the policy's identities; `undefined` when one may. */
export function unusableIdentity({ identities, extensions }: Keyless): string | undefined {
  const unknown = Object.keys(extensions).find((name) => !isExtension(name));
  if (unknown !== undefined) return `invalid certificate extension ${unknown}`;
  const patterns = new IdentityPatterns();
  const faults = identities.map(({ subjectRegExp, issuerRegExp }) =>
    [patterns.compile("subject", subjectRegExp), patterns.compile("issuer", issuerRegExp)].find(isFault)
  );
  return faults.includes(undefined) ? undefined : faults[0]?.message;
}

/** Characters of all expressions: a policy may take the values of a request into them. */
const maxCharacters = 200_000;

/** The characters that a short expression counts as, because of its compiled form. */
const charactersOfExpression = 200;

/**
 * Compiles the regular expressions of identities, in Go's syntax, once: that takes longer than checking a signature.
 */
export class IdentityPatterns {
  readonly #compiled = new BoundedCache<((text: string) => boolean) | string>(
    maxCharacters,
    (_, expression) => charactersOfExpression + expression.length,
  );

  /** Compiles an expression to a function that searches a text; the fault has cosign's words and the field's name. */
  compile(name: string, expression: string): ((text: string) => boolean) | Fault {
    const pattern = this.#compiled.getOrMake(expression, () => compile(expression));
    return typeof pattern === "string"
      ? new Fault(`invalid regexp for ${name}: ${expression} : ${pattern}`)
      : pattern;
  }
}

function compile(expression: string): ((text: string) => boolean) | string {
  try {
    const regex = RE2JS.compile(expression);
    return (text) => regex.matcher(text).find();
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function isExtension(name: string): boolean {
  return Object.hasOwn(extensionNames, name) || extensionOids.includes(name);
}

function extensionText(certificate: Certificate, name: string): string | undefined {
  const bytes = certificate.extensions.get(
    Object.hasOwn(extensionNames, name) ? extensionNames[name]! : name,
  );
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** The issuer in the newer extension: a UTF8String (Fulcio's `oid-info`, 1.3.6.1.4.1.57264.1.8). */
function newerIssuer(certificate: Certificate): string | undefined {
  const bytes = certificate.extensions.get("1.3.6.1.4.1.57264.1.8");
  if (bytes === undefined || bytes[0] !== 0x0c || bytes[1] === undefined || bytes[1] >= 0x80) {
    return undefined;
  }
  return new TextDecoder().decode(bytes.subarray(2, 2 + bytes[1]));
}
