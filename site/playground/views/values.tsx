/** Values, marks and words that several views show. */
import type { JSX } from "preact";
import type { Json } from "../../../lib/json/mod.ts";
import type { RuleReport } from "../../../lib/simulation/mod.ts";

/** Longest value that is shown whole. */
const longest = 240;

/** A value as JSON, cut when it is long. */
export function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined) return <span class="nothing">nothing</span>;
  const text = JSON.stringify(value as Json) ?? "nothing";
  return text.length <= longest
    ? <code class="value">{text}</code>
    : <code class="value" title={text.slice(0, 4_000)}>{text.slice(0, longest)}…</code>;
}

/** Words for outcomes. */
export const outcomeWords: Readonly<Record<RuleReport["outcome"], string>> = {
  pass: "Pass",
  fail: "Fail",
  error: "Error",
  skip: "Skip",
  "not applied": "Not applied",
};

/** The outcome of a rule, as a word with a colour. */
export function OutcomeMark({ outcome }: { readonly outcome: RuleReport["outcome"] }): JSX.Element {
  return <span class={`mark mark-${outcome.replace(" ", "-")}`}>{outcomeWords[outcome]}</span>;
}

/** `spec.containers[1].image`. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((step) => typeof step === "number" ? `[${step}]` : `.${step}`).join("").replace(/^\./, "");
}

/** `Pod shop/web`. */
export function inputText(
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`.trim();
}
