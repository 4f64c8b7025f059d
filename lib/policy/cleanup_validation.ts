import { asList, asObject, field, type Json, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
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
        ...(exclude !== undefined && { exclude: ofAnyOperation(exclude) }),
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
