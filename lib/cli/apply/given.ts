import {
  type GivenUser,
  noValues,
  readUser,
  readValues,
  userInfoShape,
  type Values,
  valuesShape,
  withSetValues,
} from "../../apply/mod.ts";
import { fileProblem } from "../../diagnostics/mod.ts";
import { asObject, Fault, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { checkShape, type Shape } from "../../shape/mod.ts";
import { parseDocuments, parseYaml } from "../../yaml/mod.ts";
import type { Diagnostics } from "../diagnostics.ts";

/** The options that name files with facts that a cluster would have. */
export interface GivenArguments {
  readonly valuesFile?: string;
  readonly set: readonly string[];
  readonly userinfo?: string;
  readonly contextFile?: string;
}

/** The content of these files. */
export interface GivenFacts {
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** The `spec` of a Context. */
  readonly context: JsonObject;
}

/**
 * Reads the files. Unknown fields are warnings: without one, a misspelt name would replace nothing, and say nothing.
 */
export async function readGiven(
  { valuesFile, set, userinfo, contextFile }: GivenArguments,
  diagnostics: Diagnostics,
): Promise<GivenFacts | Fault> {
  const values = await readFile(valuesFile, valuesShape, diagnostics);
  if (isFault(values)) return values;
  const completed = withSetValues(values === undefined ? noValues : readValues(values), set);
  if (isFault(completed)) return completed;
  const user = await readFile(userinfo, userInfoShape, diagnostics);
  if (isFault(user)) return user;
  const context = await readFile(contextFile, "open", diagnostics);
  if (isFault(context)) return context;
  return {
    values: completed,
    user: user === undefined ? undefined : readUser(user),
    context: asObject(field(context, "spec")) ?? {},
  };
}

async function readFile(
  path: string | undefined,
  shape: Shape,
  diagnostics: Diagnostics,
): Promise<Json | undefined | Fault> {
  if (path === undefined) return undefined;
  try {
    const text = await Deno.readTextFile(path);
    const value = parseYaml(text);
    if (isFault(value)) return new Fault(`${path}: ${value.message}`);
    const locate = parseDocuments(text, path).documents[0]?.positionOf ?? (() => undefined);
    const problems = checkShape(value, shape, { path: [], locate });
    diagnostics.add(...problems.map((problem) => ({ ...problem, severity: "warning" as const })));
    return value;
  } catch (cause) {
    return new Fault(`${path}: ${fileProblem(cause)}`);
  }
}
