import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, type DocumentPath, field, isGiven, isObject, type Json, textField } from "../../json/mod.ts";
import { builtinKinds, formatApiVersion } from "../../kube/mod.ts";
import type { RuleSource } from "../autogen.ts";
import { refusal } from "./refusal.ts";

/** The scope of the built-in kinds, each by `apiVersion/kind`. */
const scopes: ReadonlyMap<string, "namespaced" | "cluster"> = new Map(
  builtinKinds.map((each) => [
    `${formatApiVersion(each)}/${each.kind}`,
    each.namespaced ? "namespaced" : "cluster",
  ]),
);

/**
 * The refused parts of a `generate` block: patterns of several forms, a target without apiVersion, and a namespace
 * that does not fit the target's kind. Kyverno parity: the forms of loops are not counted; pinned by
 * "policy is accepted:".
 */
export function generationRefusals(
  { rule, path: rulePath }: RuleSource,
  { kinds }: { readonly kinds: "builtin" | "unknown" },
): PathDiagnostic[] {
  const generate = rule["generate"], path = [...rulePath, "generate"];
  if (!isObject(generate ?? null)) return [];
  const forms = ["data", "clone", "cloneList", "foreach"].filter((name) =>
    isUsed(name, field(generate, name))
  );
  if (forms.length > 1) {
    const message = "only one of generate patterns(data, clone, cloneList and foreach) can be specified";
    return [refusal(path, message, "make a rule of each")];
  }
  const loops = field(generate, "foreach");
  return isGiven(loops)
    ? asList(loops).flatMap((loop, index) => inPattern(loop, [...path, "foreach", index], kinds))
    : inPattern(generate, path, kinds);
}

function isUsed(name: string, form: Json | undefined): boolean {
  if (name === "clone") return textAt(form, "name") !== "" || textAt(form, "namespace") !== "";
  return isGiven(name === "cloneList" ? field(form, "kinds") : form);
}

function inPattern(
  pattern: Json | undefined,
  path: DocumentPath,
  kinds: "builtin" | "unknown",
): PathDiagnostic[] {
  if (asList(field(field(pattern, "cloneList"), "kinds")).length > 0) return [];
  const apiVersion = textAt(pattern, "apiVersion"), kind = textAt(pattern, "kind");
  if (apiVersion === "") {
    return [
      refusal(
        [...path, "apiVersion"],
        "apiVersion can not be empty",
        `name the group and version of ${kind}`,
      ),
    ];
  }
  const scope = kinds === "builtin" ? scopes.get(`${apiVersion}/${kind}`) : undefined;
  const isInNamespace = textAt(pattern, "namespace") !== "";
  if (scope === "namespaced" && !isInNamespace) {
    return [refusal([...path, "namespace"], "target namespace must be set for a namespaced resource")];
  }
  return scope === "cluster" && isInNamespace
    ? [refusal([...path, "namespace"], "target namespace must not be set for a cluster-wide resource")]
    : [];
}

function textAt(value: Json | undefined, name: string): string {
  return textField(value, name);
}
