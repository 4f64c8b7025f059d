import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  type DocumentPath,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { writtenRules } from "../written_rules.ts";
import { refusal } from "./refusal.ts";

/** A field of a policy, and the texts that its definition allows. */
interface Choice {
  readonly value: Json | undefined;
  readonly path: DocumentPath;
  readonly choices: readonly string[];
}

const actions = ["Audit", "Enforce"], earlyActions = [...actions, "audit", "enforce"];
const providers = ["default", "amazon", "azure", "google", "github"];

/** The fields with a text that can be read, and that their definition does not allow: `failureAction: enforce`. */
export function choiceRefusals(spec: Json | undefined): PathDiagnostic[] {
  return [...choicesOfSpec(spec), ...writtenRules(spec).flatMap(choicesOfRule)].filter(isOther)
    .map(({ value, path, choices }) =>
      refusal(
        path,
        `Unsupported value: ${JSON.stringify(value)}: supported values: ${
          choices.map((choice) => JSON.stringify(choice)).join(", ")
        }`,
      )
    );
}

/** Whether a field has none of its texts. A text that is none of them in any case is reported where it is read. */
function isOther({ value, choices }: Choice): boolean {
  if (!isString(value) || choices.includes(value)) return false;
  return choices !== actions && choices !== earlyActions || earlyActions.includes(value.toLowerCase());
}

function choicesOfSpec(spec: Json | undefined): Choice[] {
  const name = "validationFailureAction";
  return [
    { value: field(spec, name), path: ["spec", name], choices: earlyActions },
    ...overrides(field(spec, `${name}Overrides`), ["spec", `${name}Overrides`]),
  ];
}

function choicesOfRule(
  { rule, path }: { readonly rule: JsonObject; readonly path: DocumentPath },
): Choice[] {
  const name = "failureAction", validate = rule["validate"], below = [...path, "validate"];
  return [
    { value: field(validate, name), path: [...below, name], choices: actions },
    ...overrides(field(validate, `${name}Overrides`), [...below, `${name}Overrides`]),
    ...asList(rule["verifyImages"]).flatMap((entry, index) => [
      { value: field(entry, name), path: [...path, "verifyImages", index, name], choices: actions },
      ...ofRegistry(entry, [...path, "verifyImages", index]),
    ]),
    ...ofContext(rule, path),
    ...["validate", "mutate", "generate"].flatMap((section) => ofLoops(rule[section], [...path, section])),
    ...asList(field(rule["mutate"], "targets")).flatMap((target, index) =>
      ofContext(target, [...path, "mutate", "targets", index])
    ),
  ];
}

function overrides(written: Json | undefined, path: DocumentPath): Choice[] {
  return asList(written).map((entry, index) => ({
    value: field(entry, "action"),
    path: [...path, index, "action"],
    choices: earlyActions,
  }));
}

function ofLoops(body: Json | undefined, path: DocumentPath): Choice[] {
  return asList(field(body, "foreach")).flatMap((loop, index) => {
    const below = [...path, "foreach", index];
    const order = {
      value: field(loop, "order"),
      path: [...below, "order"],
      choices: ["Ascending", "Descending"],
    };
    return [order, ...ofContext(loop, below), ...ofLoops(loop, below)];
  });
}

function ofContext(block: Json, path: DocumentPath): Choice[] {
  return asList(field(block, "context")).flatMap((entry, index) => {
    const below = [...path, "context", index];
    const call = field(entry, "apiCall"), method = [...below, "apiCall", "method"];
    return [
      { value: field(call, "method"), path: method, choices: ["GET", "POST"] },
      ...ofRegistry(field(entry, "imageRegistry"), [...below, "imageRegistry"]),
    ];
  });
}

function ofRegistry(block: Json | undefined, path: DocumentPath): Choice[] {
  const name = "imageRegistryCredentials", credentials = field(block, name);
  if (!isObject(credentials)) return [];
  return asList(credentials["providers"]).map((value, index) => ({
    value,
    path: [...path, name, "providers", index],
    choices: providers,
  }));
}
