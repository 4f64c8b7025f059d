import { join } from "node:path";
import { didYouMean, fileProblem } from "../diagnostics/mod.ts";
import { policySchemas } from "../documents/mod.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The kinds that have a schema. */
export function schemaKinds(): string[] {
  return [...policySchemas().keys()];
}

/** `schema KIND`: prints the JSON Schema of a kind, or writes all schemas to a folder, one file for each kind. */
export async function schema(
  { kind, output }: { readonly kind: string | undefined; readonly output: string | undefined },
  terminal: Terminal,
): Promise<number> {
  const schemas = policySchemas();
  if (output !== undefined) {
    try {
      await Deno.mkdir(output, { recursive: true });
      for (const [name, each] of schemas) {
        await Deno.writeTextFile(join(output, `${name}.json`), `${JSON.stringify(each, null, 2)}\n`);
      }
      return 0;
    } catch (cause) {
      return unusable(
        `cannot write to ${output}: ${fileProblem(cause, "write")}`,
        terminal,
      );
    }
  }
  if (kind === undefined) {
    terminal.out([...schemas.keys()].join("\n"));
    return 0;
  }
  const found = schemas.get(kind);
  if (found === undefined) {
    const meant = didYouMean(kind, schemas.keys());
    const hint = meant === undefined
      ? `there are ${[...schemas.keys()].join(", ")}`
      : `did you mean ${meant}?`;
    return unusable(`there is no schema of "${kind}"; ${hint}`, terminal);
  }
  terminal.out(JSON.stringify(found, null, 2));
  return 0;
}
