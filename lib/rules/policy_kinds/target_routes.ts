import type { LoadTracker } from "../../context/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asString, asTexts, Fault, isFault, isObject, type JsonObject } from "../../json/mod.ts";
import { builtinKind, compileWildcard, typeOf } from "../../kube/mod.ts";
import type { WrittenSubresource } from "../outcome.ts";
import { isApiName, resourceParts } from "../served_resources.ts";

type Test = (text: string) => boolean;

/** One resource of a resource rule. */
interface Route {
  readonly isGroup: Test;
  readonly isVersion: Test;
  readonly isResource: Test;
  readonly subresource: string;
}

/** A resource as the API names it. */
export interface RoutedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/**
 * The subresources through which the objects that an expression returns are changed. Kyverno parity: the first resource
 * that fits an object counts, and may have wildcards. Pinned by tests/background/mutating_targets_test.ts.
 */
export class TargetRoutes {
  readonly #routes: readonly Route[];
  readonly problems: readonly PathDiagnostic[];

  constructor(constraints: JsonObject) {
    this.#routes = asList(constraints["resourceRules"]).filter(isObject).flatMap((rule) => {
      const groups = asTexts(rule["apiGroups"]).map(compileWildcard);
      const versions = asTexts(rule["apiVersions"]).map(compileWildcard);
      return asTexts(rule["resources"]).map((resource): Route => {
        const { plural, subresource } = resourceParts(resource);
        return {
          isGroup: (text) => groups.some((fits) => fits(text)),
          isVersion: (text) => versions.some((fits) => fits(text)),
          isResource: compileWildcard(plural),
          subresource,
        };
      });
    });
    this.problems = this.#routes.filter(({ subresource }) => subresource !== "" && !isApiName(subresource))
      .map(
        ({ subresource }) => ({
          severity: "warning",
          code: "unfound-targets",
          message: `The subresource ${subresource} of targets is none: nothing is changed, as in Kyverno`,
          hint: "name the subresource without wildcards",
          path: ["spec", "targetMatchConstraints", "resourceRules"],
        }),
      );
  }

  /** The subresource for a resource; empty for the object itself. */
  subresourceOf({ group, version, plural }: RoutedResource): string {
    return this.#routes.find(({ isGroup, isVersion, isResource }) =>
      isGroup(group) && isVersion(version) && isResource(plural)
    )?.subresource ?? "";
  }

  /** The subresource for an object; `undefined` for the object itself. */
  of(object: JsonObject, tracker: LoadTracker): WrittenSubresource | undefined | Fault {
    if (this.#routes.every(({ subresource }) => subresource === "")) return undefined;
    const { group, version, kind } = typeOf(object);
    const apiVersion = asString(object["apiVersion"]) ?? "";
    const plural = builtinKind(kind, apiVersion)?.plural ?? tracker.load(
      `plural of ${apiVersion} ${kind}`,
      async () =>
        (await tracker.ports.cluster.resource(apiVersion, kind))?.plural ??
          new Fault(`the cluster does not serve ${apiVersion}/${kind}`),
    );
    if (isFault(plural)) return plural;
    const name = this.subresourceOf({ group, version, plural: asString(plural) ?? "" });
    return name === "" ? undefined : { apiVersion, kind, name };
  }
}
