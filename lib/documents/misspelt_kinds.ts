import { type Diagnostic, type Locate, replacing, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  type DocumentPath,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { builtinKind, builtinResource } from "../kube/mod.ts";
import { kindOfPlural } from "./kind_spelling.ts";

/** A kind that Kubernetes does not have under its written name. */
interface MisspeltKind {
  readonly written: string;
  /** The built-in kind with a similar name. */
  readonly meant: string;
  /** Whether the policy is read as if it named that kind: `Pods`, as in the documentation. */
  readonly read: boolean;
  readonly path: DocumentPath;
}

/** Warnings about the misspelt kinds of a match or exclude block, at any depth. */
export function misspeltKinds(block: JsonObject, path: DocumentPath, locate: Locate): Diagnostic[] {
  return kindsIn(block, path).map((each) => diagnosticOf(each, locate));
}

function diagnosticOf({ written, meant, read, path }: MisspeltKind, locate: Locate): Diagnostic {
  return withPosition({
    severity: "warning",
    code: "misspelt-kind",
    message: `"${written}" is no kind of Kubernetes`,
    hint: read ? `it is read as "${meant}"` : `did you mean "${meant}"?`,
    ...replacing(written, meant),
    path,
  }, locate);
}

function kindsIn(block: JsonObject, path: DocumentPath): MisspeltKind[] {
  const nested = (["any", "all"] as const).flatMap((name) =>
    asList(block[name]).flatMap((filter, index) =>
      isObject(filter) ? kindsIn(filter, [...path, name, index]) : []
    )
  );
  const resources = block["resources"];
  const within = isObject(resources) ? kindsOf(resources["kinds"], [...path, "resources", "kinds"]) : [];
  return [...nested, ...within, ...kindsOf(block["kinds"], [...path, "kinds"])];
}

function kindsOf(kinds: Json | undefined, path: DocumentPath): MisspeltKind[] {
  const written = isList(kinds) ? kinds : [kinds ?? null];
  return written.flatMap((entry, index): MisspeltKind[] => {
    if (!isString(entry)) return [];
    const kindPath = isList(kinds) ? [...path, index] : path;
    const plural = kindOfPlural(entry);
    if (plural !== undefined) return [{ written: entry, meant: plural, read: true, path: kindPath }];
    const meant = builtinResource(entry)?.kind ?? capitalised(entry);
    return meant === undefined ? [] : [{ written: entry, meant, read: false, path: kindPath }];
  });
}

/** The built-in kind that differs only in capital letters: `pod`, `Configmap`. */
function capitalised(written: string): string | undefined {
  if (!/^[A-Za-z]+$/.test(written) || builtinKind(written) !== undefined) return undefined;
  const lower = written.toLowerCase();
  const found = [`${lower}s`, `${lower}es`, lower.replace(/y$/, "ies")].map((plural) =>
    builtinResource(plural)
  );
  return found.find((kind) => kind?.kind.toLowerCase() === lower)?.kind;
}
