import { builtinKind, builtinResource } from "../kube/mod.ts";

/** The kind of a capitalised plural such as `Pods`; `undefined` for a name that may be another kind. */
export function kindOfPlural(written: string): string | undefined {
  if (!/^[A-Z][A-Za-z]*$/.test(written) || builtinKind(written) !== undefined) return undefined;
  return builtinResource(written.toLowerCase())?.kind;
}
