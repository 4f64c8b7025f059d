import { compileExpression } from "../jmespath/mod.ts";
import { Fault, isFault, type Scope } from "../json/mod.ts";
import { countNested, countPlanned } from "./counters.ts";
import { currentField } from "./path.ts";
import { chooseByOperation, compile, forDelete, noteUse, type Query, type Spot } from "./query.ts";
import { isDelete, type Render } from "./run.ts";
import type { Variable } from "./scan.ts";
import { asText, type PlannedVariable } from "./text.ts";

/** Expressions with a variable inside that one such variable remembers. */
const cachedExpressions = 64;

/** Characters of an expression with a variable inside. */
const maxExpression = 16_384;

/** Plans a variable of a string; whatever it needs to compile is compiled here, unless variables stand inside it. */
export function planVariable(variable: Variable, spot: Spot): PlannedVariable {
  const { parts, shallow, offset } = variable;
  const [only = ""] = parts;
  if (parts.length < 2 && typeof only === "string") {
    countPlanned();
    const plan = planExpression(only, offset, spot);
    return { ...plan, shallow };
  }
  return { render: planNested(variable, spot), shallow, expression: written(parts) };
}

function written(parts: Variable["parts"]): string {
  return parts.map((part) => typeof part === "string" ? part : `{{ ${written(part.parts)} }}`).join("");
}

function planExpression(text: string, offset: number, spot: Spot): { render: Render; expression: string } {
  if (text === "@") return planCurrentField(offset, spot);
  const alive = compile(text, spot);
  noteUse(text, offset, alive, spot);
  return { render: chooseByOperation(text, alive, spot), expression: text };
}

/** `{{ @ }}`: the field of the resource that stands where the string stands in the rule. */
function planCurrentField(offset: number, spot: Spot): { render: Render; expression: string } {
  const place = [...spot.field, ...spot.place];
  const ofTarget = compile(currentField("target", place), spot);
  const inObject = currentField("request.object", place);
  const ofObject = compile(inObject, spot);
  noteUse(inObject, offset, ofObject, spot);
  const inRequest = chooseByOperation(inObject, ofObject, spot);
  const render: Render = (run) => hasTarget(run.scope) ? ofTarget.render(run) : inRequest(run);
  return { render, expression: "@" };
}

function hasTarget(scope: Scope): boolean {
  const target = scope.get("target");
  return target !== undefined && !isFault(target);
}

/**
 * A variable with variables inside: the inner values become text of the expression, which is then compiled, and
 * remembered for the next run with the same values. Braces among the inner values stay what they are; the ends of the
 * variable are those that the policy's author wrote.
 */
function planNested({ parts, offset }: Variable, spot: Spot): Render {
  const inner = parts.map((part) => typeof part === "string" ? part : planVariable(part, spot));
  noteNested(parts, offset, spot);
  const cache = new Map<string, Query>();
  return (run) => {
    let text = "";
    for (const part of inner) {
      if (typeof part === "string") {
        text += part;
        continue;
      }
      const value = part.render(run);
      if (isFault(value)) return value;
      // An inner variable without a value leaves the outer one without a value, not with half an expression.
      if (value === "" && spot.unresolved === "empty") return "";
      text += asText(value);
      if (text.length > maxExpression) {
        return new Fault(
          `an expression at path ${spot.path} becomes longer than ${maxExpression} characters`,
        );
      }
    }
    const expression = isDelete(run.scope) ? forDelete(text.trim()) : text.trim();
    return remembered(cache, expression, spot).render(run);
  };
}

function remembered(cache: Map<string, Query>, expression: string, spot: Spot): Query {
  const known = cache.get(expression);
  if (known !== undefined) return known;
  countNested();
  const query = compile(expression, spot);
  if (cache.size >= cachedExpressions) cache.delete(cache.keys().next().value!);
  cache.set(expression, query);
  return query;
}

/** Notes what is known of an expression whatever its inner variables yield. */
function noteNested(parts: Variable["parts"], offset: number, spot: Spot): void {
  const unknown = "unknown__";
  const text = parts.map((part) => typeof part === "string" ? part : unknown).join("");
  const guess = compileExpression(text, spot.expressions);
  const known = isFault(guess) ? undefined : guess;
  spot.uses.push({
    expression: written(parts),
    path: spot.place,
    column: offset + 1,
    names: known?.names.filter((name) => !name.includes(unknown)) ?? [],
    paths: known?.paths.filter((path) => !path.some((step) => step.includes(unknown))) ?? [],
  });
}
