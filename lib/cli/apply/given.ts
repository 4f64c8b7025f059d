import {
  checkContext,
  checkUser,
  checkValues,
  duplicateKeys,
  type GivenDocument,
  type GivenUser,
  noValues,
  readUser,
  readValues,
  type Values,
  withSetValues,
} from "../../apply/mod.ts";
import { fileProblem, type Locate } from "../../diagnostics/mod.ts";
import { asObject, Fault, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
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
 * Reads the files. A fault means that one cannot be used: nothing is checked then, because its values would be missing.
 * Kyverno parity: unknown fields, wrong types and keys that occur twice are errors. Pinned by tests/cli/given_test.ts.
 */
export async function readGiven(
  { valuesFile, set, userinfo, contextFile }: GivenArguments,
  diagnostics: Diagnostics,
): Promise<GivenFacts | Fault> {
  const values = await readFile(valuesFile, { check: checkValues, diagnostics });
  if (isFault(values)) return values;
  const completed = withSetValues(values === undefined ? noValues : readValues(values), set);
  diagnostics.add(...completed.diagnostics);
  const user = await readFile(userinfo, { check: checkUser, diagnostics });
  if (isFault(user)) return user;
  const context = await readFile(contextFile, { check: checkContext, diagnostics });
  if (isFault(context)) return context;
  return {
    values: completed.values,
    user: user === undefined ? undefined : readUser(user),
    context: asObject(field(context, "spec")) ?? {},
  };
}

interface Reading {
  /** Checks the fields of the document. */
  readonly check: (document: Json, locate: Locate) => GivenDocument;
  readonly diagnostics: Diagnostics;
}

async function readFile(
  path: string | undefined,
  { check, diagnostics }: Reading,
): Promise<Json | undefined | Fault> {
  if (path === undefined) return undefined;
  try {
    const text = await Deno.readTextFile(path);
    const value = parseYaml(text);
    const unused = new Fault(`${path} is not used: correct it`);
    if (isFault(value)) {
      diagnostics.add(...parseDocuments(text, path).diagnostics);
      return unused;
    }
    if (value === null) {
      return new Fault(`${path} is empty: write apiVersion, kind and what it gives, or leave the option out`);
    }
    const parsed = parseDocuments(text, path);
    const checked = check(value, parsed.documents[0]?.positionOf ?? (() => undefined));
    const problems = [...duplicateKeys(parsed), ...checked.diagnostics];
    diagnostics.add(...problems);
    return problems.length === 0 ? checked.value : unused;
  } catch (cause) {
    return new Fault(`${path}: ${fileProblem(cause)}`);
  }
}
