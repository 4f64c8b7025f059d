import { fileProblem } from "../../diagnostics/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { type Terminal, unusable } from "../terminal.ts";

/** The option that names the file to write; standard output when absent. */
export interface OutputArguments {
  readonly output?: string;
}

/** Writes an object as YAML, and returns the exit code. */
export async function writeObject(
  object: JsonObject,
  { output }: OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const text = toYaml(object);
  if (output === undefined) {
    terminal.out(text.trimEnd());
    return 0;
  }
  try {
    await Deno.writeTextFile(output, text);
    return 0;
  } catch (cause) {
    return unusable(`cannot write to ${output}: ${fileProblem(cause, "write")}`, terminal);
  }
}
