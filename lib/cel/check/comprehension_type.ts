import type { CelExpression, Comprehension } from "../syntax/mod.ts";
import {
  boolType,
  type CelType,
  describeType,
  dynType,
  errorType,
  intType,
  isDynamic,
  listType,
  mapType,
} from "../types/mod.ts";
import type { Inference } from "./inference.ts";

/** The checker's functions that comprehensions need. */
export interface ComprehensionChecks {
  readonly inference: Inference;
  /** Determines the type of a part. */
  readonly check: (expression: CelExpression) => CelType;
}

/** The types of the variables over a range: element or key; index or key, and value. */
export function rangeTypes(
  { range, variables }: Comprehension,
  { inference, check }: ComprehensionChecks,
): readonly CelType[] {
  const count = variables.length;
  const type = inference.substitution.apply(check(range));
  if (type.kind === "list") return count === 1 ? [type.parameters[0]!] : [intType, type.parameters[0]!];
  if (type.kind === "map") return type.parameters;
  if (type.kind === "parameter") inference.substitution.assign([dynType], [type]);
  else if (!isDynamic(type)) {
    inference.report(
      range.offset,
      `expression of type '${
        describeType(type)
      }' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [errorType, errorType];
  }
  return [dynType, dynType];
}

/** Returns the type of a comprehension, whose variables are in scope. `first` is the type of the first variable. */
export function foldType(
  { fold, filter, body, offset }: Comprehension,
  first: CelType,
  { inference, check }: ComprehensionChecks,
): CelType {
  const isBool = (type: CelType): boolean => inference.substitution.assign([type], [boolType]);
  const filterType = filter === undefined ? undefined : check(filter);
  const bodyType = check(body);
  // Kubernetes expands macros to operators over an accumulator, and its messages name these operators.
  const conditional = (condition: CelType, kept: CelType): void => {
    if (!isBool(condition)) inference.noOverload("_?_:_", [condition, kept, kept], { offset });
  };
  switch (fold) {
    case "all":
    case "exists":
      inference.expectBool(bodyType, body.offset);
      return boolType;
    case "existsOne":
      conditional(bodyType, intType);
      return boolType;
    case "filter": {
      const result = listType(first);
      conditional(bodyType, result);
      return result;
    }
    case "list": {
      const result = listType(bodyType);
      if (filterType !== undefined) conditional(filterType, result);
      return result;
    }
    case "map": {
      const result = mapType(first, bodyType);
      if (filterType !== undefined) conditional(filterType, result);
      return result;
    }
    case "mapEntry": {
      const entry = mapType(inference.substitution.fresh(), inference.substitution.fresh());
      if (!inference.substitution.assign([bodyType], [entry])) {
        return inference.noOverload("cel.@mapInsert", [entry, bodyType], { offset });
      }
      if (filterType !== undefined) conditional(filterType, entry);
      return inference.substitution.apply(isDynamic(bodyType) ? mapType(dynType, dynType) : bodyType);
    }
  }
}
