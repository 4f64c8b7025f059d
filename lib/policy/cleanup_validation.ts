import { asList, asObject, asString, field, type Json, type JsonObject } from "../json/mod.ts";
import { compileWildcard, nameOf, namespaceOf, parseKindSelectors } from "../kube/mod.ts";
import { controllersAnnotation } from "./pod_controllers.ts";

/**
 * A CleanupPolicy or ClusterCleanupPolicy as a validation: it deletes the objects that `validate.deny` with the same
 * conditions would deny. Its conditions call the object `target`.
 */
export function cleanupValidation(object: JsonObject): JsonObject {
  const spec = field(object, "spec");
  const conditions = field(spec, "conditions") ?? null;
  const exclude = field(spec, "exclude");
  const namespace = namespaceOf(object);
  return {
    apiVersion: "kyverno.io/v1",
    kind: namespace === "" ? "ClusterPolicy" : "Policy",
    metadata: {
      name: nameOf(object),
      ...(namespace !== "" && { namespace }),
      annotations: { [controllersAnnotation]: "none" },
    },
    spec: {
      background: true,
      rules: [{
        name: "cleanup",
        match: ofAnyOperation(field(spec, "match") ?? {}),
        ...(exclude !== undefined && { exclude: excludingNamespaces(ofAnyOperation(exclude)) }),
        context: [
          { name: "target", variable: { jmesPath: "request.object" } },
          ...asList(field(spec, "context")),
        ],
        validate: { message: "selected", deny: conditions === null ? {} : { conditions } },
      }],
    },
  };
}

/**
 * A block of filters without their operations. Kyverno parity: a cleanup has no operation. Pinned by "a cleanup
 * policy selects whatever operations its filters name".
 */
function ofAnyOperation(block: Json): JsonObject {
  const filters = (name: "any" | "all"): JsonObject =>
    field(block, name) === undefined ? {} : {
      [name]: asList(field(block, name)).map((filter) => {
        const { operations: _, ...resources } = asObject(field(filter, "resources")) ?? {};
        return { ...asObject(filter), resources };
      }),
    };
  return { ...asObject(block), ...filters("any"), ...filters("all") };
}

/**
 * A block that excludes, whose filters with a `namespaceSelector` exclude Namespaces too. Kyverno parity: a cleanup
 * does not compare Namespaces with that selector, and what it excludes must stay. Pinned by "a cleanup policy that
 * excludes Namespaces by a namespaceSelector excludes all of them".
 */
function excludingNamespaces(block: JsonObject): JsonObject {
  const all = asList(block["all"]);
  const filters = all.length === 1 ? all : asList(block["any"]);
  return filters.some(hasNamespaceSelector) ? { any: filters.flatMap(alsoOfNamespaces) } : block;
}

function hasNamespaceSelector(filter: Json): boolean {
  return field(field(filter, "resources"), "namespaceSelector") !== undefined;
}

/** The filter, and where it has a `namespaceSelector` and may be about Namespaces, one of them without it. */
function alsoOfNamespaces(filter: Json): Json[] {
  const { namespaceSelector, ...resources } = asObject(field(filter, "resources")) ?? {};
  const kinds = asList(resources["kinds"]).flatMap((kind) => parseKindSelectors(asString(kind) ?? ""));
  const isOfNamespaces = kinds.length === 0 || kinds.some(({ kind }) => compileWildcard(kind)("Namespace"));
  if (namespaceSelector === undefined || !isOfNamespaces) return [filter];
  return [filter, { ...asObject(filter), resources: { ...resources, kinds: ["v1/Namespace"] } }];
}
