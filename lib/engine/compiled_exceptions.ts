import { compileConditions } from "../condition/mod.ts";
import { isFault } from "../json/mod.ts";
import { compileWildcard, hasWildcard } from "../kube/mod.ts";
import { compileExceptionMatch, keysOfBlock } from "../match/mod.ts";
import type { PolicyException } from "../policy/mod.ts";
import { type CompiledException, type RuleExceptions, withoutExceptions } from "./compiled.ts";
import { areSameObjects } from "./compiled_forms.ts";
import { ExceptionIndex, type IndexedException } from "./exception_index.ts";

/** Whether an exception names a rule. */
type NameTest = (rule: string) => boolean;

/**
 * The exceptions of kyverno.io in their compiled form. Each is compiled once, however many rules it names: a thousand
 * rules times an exception of a thousand filters would not fit into memory.
 */
export class CompiledExceptions {
  readonly #compiled = new WeakMap<PolicyException, readonly CompiledException[]>();

  /** Returns the exceptions of each rule of a policy, by the rule's name. Rules with the same ones share their list. */
  forPolicy(key: string, exceptions: readonly PolicyException[]): (rule: string) => RuleExceptions {
    const compiled = exceptions.flatMap((exception) =>
      this.#compile(exception).map((compiled) => ({ compiled, names: nameTest(exception, key) }))
    );
    if (compiled.length === 0) return () => withoutExceptions;
    const indexed = compiled.map((exception, order): IndexedException => ({ ...exception, order }));
    const index = new ExceptionIndex(indexed);
    let last: readonly IndexedException[] = none, ofLast = withoutExceptions;
    return (rule) => {
      const found = indexed.filter(({ names }) => names(rule));
      if (!areSameObjects(found, last)) [last, ofLast] = [found, index.forRule(rule, found)];
      return ofLast;
    };
  }

  /** The compiled exception; none when its conditions are broken, so that it exempts nothing. */
  #compile(exception: PolicyException): readonly CompiledException[] {
    let compiled = this.#compiled.get(exception);
    if (compiled === undefined) this.#compiled.set(exception, compiled = compileException(exception));
    return compiled;
  }
}

const none: readonly never[] = [];

function compileException(exception: PolicyException): readonly CompiledException[] {
  const match = compileExceptionMatch(exception.match), keys = keysOfBlock(exception.match);
  if (exception.conditions === undefined || exception.conditions === null) {
    return [{ exception, match, keys, conditions: undefined }];
  }
  // The classic dialect has no exceptions, and in it a variable without a value could exempt an object.
  const conditions = compileConditions(exception.conditions, { dialect: "current", evaluator: "exception" });
  return isFault(conditions) ? none : [{ exception, match, keys, conditions }];
}

function nameTest({ targets }: PolicyException, key: string): NameTest {
  const names = targets.flatMap(({ policyName, ruleNames }) => policyName === key ? ruleNames : []);
  const literal = new Set(names), patterns = names.filter(hasWildcard).map((name) => compileWildcard(name));
  return (rule) => literal.has(rule) || patterns.some((matches) => matches(rule));
}
