/** Names in labels: letters and digits, and between the first and the last also `-`, `_` and `.`. */
const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*)$/;
const nameRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character";

/** The reason why a text is no valid label key (Kubernetes' qualified name); `undefined` when it is valid. */
export function labelKeyProblem(key: string): string | undefined {
  const parts = key.split("/");
  if (parts.length > 2) return `a valid label key ${nameRule} with an optional DNS subdomain prefix and '/'`;
  const last = parts.at(-1)!;
  if (parts.length === 2) {
    const problem = parts[0] === "" ? "prefix part must be non-empty" : subdomainProblem(parts[0]!);
    if (problem !== undefined) return problem;
  }
  if (last === "") return "name part must be non-empty";
  if (last.length > 63) return "name part must be no more than 63 bytes";
  return isName(last) ? undefined : `name part ${nameRule}`;
}

/** The reason why a text is no valid label value; `undefined` when it is valid. The empty text is valid. */
export function labelValueProblem(value: string): string | undefined {
  if (value.length > 63) return "must be no more than 63 bytes";
  return value === "" || isName(value)
    ? undefined
    : `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must ` +
      `start and end with an alphanumeric character`;
}

function isName(text: string): boolean {
  return name.test(text) && /[A-Za-z0-9]$/.test(text);
}

function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return "prefix part must be no more than 253 bytes";
  const valid = text.split(".").every((label) =>
    /^[a-z0-9](?:[-a-z0-9]*)$/.test(label) && !label.endsWith("-")
  );
  return valid ? undefined : "prefix part must be a lowercase RFC 1123 subdomain";
}
