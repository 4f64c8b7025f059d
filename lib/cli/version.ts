import configuration from "../../deno.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

/** The version of Postern, from `deno.json`. */
export const version: string = configuration.version;

/** The version of Kyverno that `--dialect current` follows. */
const kyverno = "1.19.0";

/** `version`: prints the versions of Postern, of the Kyverno that it follows, and of the runtime. */
export function printVersion(output: "json" | "yaml" | undefined, terminal: Terminal): number {
  const facts = { version, kyverno, deno: Deno.version.deno, v8: Deno.version.v8 };
  if (output === "json") terminal.out(JSON.stringify(facts));
  else if (output === "yaml") terminal.out(Object.entries(facts).map((fact) => fact.join(": ")).join("\n"));
  else terminal.out(`Version: ${version}\nKyverno: ${kyverno}\nDeno: ${facts.deno}`);
  return 0;
}
