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

/** A kind that Kubernetes does not have under its written name. */
export interface OddKind {
  readonly written: string;
  /** The built-in kind with a similar name. */
  readonly meant: string;
  /** Whether the policy is read as if it named that kind: `Pods`, as in the documentation. */
  readonly read: boolean;
  readonly path: DocumentPath;
}

/** The kind of a capitalised plural such as `Pods`; `undefined` for a name that may be another kind. */
export function kindOfPlural(written: string): string | undefined {
  if (!/^[A-Z][A-Za-z]*$/.test(written) || builtinKind(written) !== undefined) return undefined;
  return builtinResource(written.toLowerCase())?.kind;
}

/** The misspelt kinds of a match or exclude block, at any depth. */
export function oddKinds(block: JsonObject, path: DocumentPath): OddKind[] {
  const nested = (["any", "all"] as const).flatMap((name) =>
    asList(block[name]).flatMap((filter, index) =>
      isObject(filter) ? oddKinds(filter, [...path, name, index]) : []
    )
  );
  const resources = block["resources"];
  const within = isObject(resources) ? kindsOf(resources["kinds"], [...path, "resources", "kinds"]) : [];
  return [...nested, ...within, ...kindsOf(block["kinds"], [...path, "kinds"])];
}

function kindsOf(kinds: Json | undefined, path: DocumentPath): OddKind[] {
  const written = isList(kinds) ? kinds : [kinds ?? null];
  return written.flatMap((entry, index): OddKind[] => {
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
