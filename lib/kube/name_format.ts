/**
 * The formats of names in Kubernetes, with Kubernetes' error messages. Each function returns all problems of a text,
 * and an empty list for a valid text.
 */

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const oldLabel = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const qualified = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const oldLabelPattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const qualifiedRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** The problem of a text that is no DNS name. */
export const noSubdomain: string = mismatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and " +
    "must start and end with an alphanumeric character",
  subdomainPattern,
  ["example.com"],
);

/** The most characters of a text that patterns check. A longer text has only one problem. */
const maxLength = 100_000;

/** The problem of a text that breaks a rule, with examples of valid texts. */
function mismatch(rule: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}'`).join(",  or ");
  return `${rule} (e.g. ${list}, regex used for validation is '${pattern}')`;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLong(text: string, most: number, unit: "characters" | "bytes"): string[] {
  return bytes(text) > most ? [`must be no more than ${most} ${unit}`] : [];
}

function matches(text: string, pattern: RegExp): boolean {
  return text.length <= maxLength && pattern.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= maxLength && text.split(".").every((part) => label.test(part));
}

/** A label of a DNS name (RFC 1123): `my-name`. */
export function dnsLabelProblems(text: string): readonly string[] {
  const problems = tooLong(text, 63, "characters");
  if (matches(text, label)) return problems;
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
    "start and end with an alphanumeric character";
  return [
    ...problems,
    isSubdomain(text) ? "must not contain dots" : mismatch(rule, labelPattern, ["my-name", "123-abc"]),
  ];
}

/** A DNS name (RFC 1123): `example.com`. */
export function dnsSubdomainProblems(text: string): readonly string[] {
  return subdomainProblems(text, "characters");
}

function subdomainProblems(text: string, unit: "characters" | "bytes"): readonly string[] {
  const problems = tooLong(text, 253, unit);
  if (isSubdomain(text)) return problems;
  return [...problems, noSubdomain];
}

/** A label of a DNS name by the older RFC 1035, which begins with a letter: the name of a Service. */
export function dns1035LabelProblems(text: string): readonly string[] {
  const problems = tooLong(text, 63, "characters");
  if (matches(text, oldLabel)) return problems;
  const rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
    "alphabetic character, and end with an alphanumeric character";
  return [...problems, mismatch(rule, oldLabelPattern, ["my-name", "abc-123"])];
}

/** A key of a label or annotation: a name, or a DNS name and a name: `example.com/my_name`. */
export function qualifiedNameProblems(text: string): readonly string[] {
  const parts = text.split("/");
  const examples = ["MyName", "my.name", "123-abc"];
  if (parts.length > 2) {
    const rule = mismatch(qualifiedRule, qualifiedPattern, examples);
    return [
      `a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0]!, parts[1]!] : [undefined, parts[0]!];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    problems.push(...subdomainProblems(prefix, "bytes").map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63, "bytes").map((problem) => `name part ${problem}`));
  if (!matches(name, qualified)) {
    problems.push(`name part ${mismatch(qualifiedRule, qualifiedPattern, examples)}`);
  }
  return problems;
}

/** The value of a label; it may be empty. */
export function labelValueProblems(text: string): readonly string[] {
  const problems = tooLong(text, 63, "bytes");
  if (text === "" || matches(text, qualified)) return problems;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and " +
    "must start and end with an alphanumeric character";
  return [...problems, mismatch(rule, `(${qualifiedPattern})?`, ["MyValue", "my_value", "12345"])];
}

/**
 * Prepares a prefix of generated names for the check. The prefix may end in a dash, because the generated part follows.
 */
export function withoutTrailingDash(text: string): string {
  // Kyverno parity: Kubernetes replaces the last two characters by one valid character. Pinned by "a dash at the end of
  // a prefix counts as a character".
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}
