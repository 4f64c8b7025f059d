/** Compiles sets of documents, and prints the codes and messages of what is wrong with each: JSON in, JSON out. */
import { compile } from "../../lib/engine/mod.ts";
import type { Json } from "../../lib/json/mod.ts";

const sets = JSON.parse(await Deno.readTextFile(Deno.args[0]!)) as readonly (readonly Json[])[];
const problems = sets.map((documents) => {
  const located = documents.map((value) => ({
    value,
    file: "policy",
    positionOf: () => ({ file: "policy", line: 1, column: 1 }),
  }));
  return compile(located, { admissionPolicies: "served" }).diagnostics.map(({ severity, code, message }) =>
    `${severity} ${code}: ${message}`
  );
});
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(problems)));
