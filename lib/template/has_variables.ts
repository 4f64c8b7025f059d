/** Whether a text of a policy contains variables or references. */
export function hasVariables(text: string): boolean {
  return text.includes("{{") || text.includes("$(");
}
