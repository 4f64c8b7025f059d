import type { ExternalNeed, Program } from "../../cel/mod.ts";
import type { Need } from "../../context/mod.ts";
import { builtinResource, formatApiVersion, parseApiVersion } from "../../kube/mod.ts";

/** The values that a program reads from outside the request, as needs. */
export function needsOf({ facts }: Program): readonly Need[] {
  const needs = facts.needs.map(needOf);
  return facts.variables.has("namespaceObject") ? [...needs, { kind: "namespace" }] : needs;
}

function needOf(need: ExternalNeed): Need {
  switch (need.kind) {
    case "resource": {
      const { apiVersion, plural, verb, name } = need;
      if (apiVersion === undefined || plural === undefined) {
        return { kind: "unknown", what: "which resources an expression reads" };
      }
      const { group } = parseApiVersion(apiVersion);
      return {
        kind: "resource",
        group,
        resource: plural,
        verbs: [verb],
        ...(name !== undefined && { name }),
      };
    }
    case "accessReview":
    case "globalEntry":
    case "registry":
      return need;
    case "service":
      return { kind: "service", url: need.isWhole ? need.url : `${need.url}{{ … }}` };
  }
}

/** The built-in types of objects that a program reads from the cluster and may therefore copy. */
export function typesRead(
  { facts }: Program,
): readonly { readonly apiVersion: string; readonly kind: string }[] {
  return facts.needs.flatMap((need) => {
    if (need.kind !== "resource" || need.plural === undefined) return [];
    const builtin = builtinResource(need.plural);
    return builtin === undefined
      ? []
      : [{ apiVersion: need.apiVersion ?? formatApiVersion(builtin), kind: builtin.kind }];
  });
}

/** The resources that a program reads from the cluster, as far as its text names them. */
export function resourcesRead(
  { facts }: Program,
): readonly { readonly group: string; readonly version: string; readonly plural: string }[] {
  return facts.needs.flatMap((need) => {
    if (need.kind !== "resource" || need.plural === undefined) return [];
    const { plural } = need,
      type = need.apiVersion === undefined ? builtinResource(plural) : parseApiVersion(need.apiVersion);
    return type === undefined ? [] : [{ group: type.group, version: type.version, plural }];
  });
}
