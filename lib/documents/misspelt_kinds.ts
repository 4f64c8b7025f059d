import { type Diagnostic, didYouMean, type Locate, replacing, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  type DocumentPath,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { builtinKind, builtinKinds, builtinResource } from "../kube/mod.ts";
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
    const meant = builtinResource(entry)?.kind ?? capitalised(entry) ?? similar(entry);
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

const builtinNames = [...new Set(builtinKinds.map(({ kind }) => kind))];

/**
 * The entry with the built-in kind that differs in a letter or two: `Pdo`, `apps/v1/Deploymnet`. Kinds of other groups
 * may have such names (`Egress`), so short names must be nearer.
 */
function similar(written: string): string | undefined {
  const parts = /^((?:[\w.*-]+\/){0,2})([A-Z][A-Za-z]{2,})((?:\/[a-z]+)?)$/.exec(written);
  if (parts === null) return undefined;
  const [, type = "", kind = "", subresource = ""] = parts;
  const group = type.split("/").length > 2 ? type.split("/")[0]! : "";
  if (builtinKind(kind) !== undefined || !/^(?:\*|\w*|.*\.k8s\.io)$/.test(group)) return undefined;
  const meant = didYouMean(kind, builtinNames, kind.length < 9 ? 1 : 2);
  return meant === undefined ? undefined : type + meant + subresource;
}
