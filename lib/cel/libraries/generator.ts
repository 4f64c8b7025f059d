import type { JsonObject } from "../../json/mod.ts";
import { failure, isCelFault } from "../fault.ts";
import { boolType, type CelType, dynType, listType, mapType, opaqueType, stringType } from "../types/mod.ts";
import { isMapValue, type Value } from "../values/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { jsonObjectOf } from "./json_value.ts";
import { type Library, method, type Overload, type Result } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";
import { bothSpellings } from "./resource.ts";

const contextType: CelType<NamespaceValue> = opaqueType("generator.Context");
const objectsType = listType(mapType(stringType, dynType));

function apply(external: ExternalCalls, namespace: string, objects: readonly Value[]): Result {
  const resources: JsonObject[] = [];
  for (const object of objects) {
    const json = isMapValue(object) ? jsonObjectOf(object) : failure("a resource must be an object");
    if (isCelFault(json)) return json;
    resources.push(json);
  }
  const fault = external.generate(namespace, resources);
  if (fault === undefined) return true;
  return fault.kind === "pending" ? fault : failure(`failed to generate resources: ${fault.message}`);
}

/** Generation: `generator.Apply(namespace, resources)`; in policies of a namespace `generator.Apply(resources)`. */
export function generatorLibrary(namespace?: string): Library {
  const overloads: readonly Overload[] = namespace === undefined
    ? [method({
      id: "generator_apply_string_list",
      takes: [contextType, stringType, objectsType],
      gives: boolType,
      callOut: (external, _, into, objects) => apply(external, into, objects),
    })]
    : [method({
      id: "generator_apply_list",
      takes: [contextType, objectsType],
      gives: boolType,
      callOut: (external, _, objects) => apply(external, namespace, objects),
    })];
  return {
    name: "kyverno.generator",
    constants: { generator: { type: contextType, value: new NamespaceValue(contextType) } },
    functions: bothSpellings({ Apply: overloads }),
  };
}
