import { type CelError, type CelType, createEnvironment, dynType, objectType } from "../../cel/mod.ts";
import { asString, type DocumentPath, type JsonObject } from "../../json/mod.ts";
import { ruleEnvironment } from "./rule_environment.ts";

/** The expressions of a rule. */
export interface RuleExpressions {
  readonly expressions: readonly JsonObject[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly paramKind: JsonObject | undefined;
}

/** The types of the objects that a rule's expressions read. */
export interface ObjectTypes {
  /** Of `object` and `oldObject`. */
  readonly object: CelType;
  /** Of `params`; any when it is unknown. */
  readonly params?: CelType;
}

/** The mistakes in one expression of a rule. */
export interface TypeProblem {
  /** The path of the expression below the rule. */
  readonly path: DocumentPath;
  readonly errors: readonly CelError[];
}

/**
 * The mistakes that show when the types of the objects are declared: fields that no object of the kind has, and
 * comparisons with other types. Such expressions are compiled without types when the policy is loaded, because objects
 * of several kinds may come.
 */
export function typeProblems(
  { expressions, variables, paramKind }: RuleExpressions,
  { object, params = dynType }: ObjectTypes,
): TypeProblem[] {
  const types = new Map<string, CelType>();
  const untyped = ruleEnvironment(paramKind && params);
  const composited = objectType("variables", (name) => types.get(name));
  const environment = createEnvironment({
    ...untyped,
    variables: { ...untyped.variables, object, oldObject: object, variables: composited },
  });
  for (const { name, expression } of variables) {
    const compiled = environment.compile(expression);
    types.set(name, compiled.ok ? compiled.program.type : dynType);
  }
  return expressions.flatMap((entry, index) =>
    ["expression", "messageExpression"].flatMap((key): TypeProblem[] => {
      const text = asString(entry[key]) ?? "";
      if (text === "") return [];
      const compiled = environment.compile(text);
      return compiled.ok
        ? []
        : [{ path: ["validate", "cel", "expressions", index, key], errors: compiled.errors }];
    })
  );
}
