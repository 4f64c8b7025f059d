import { compileExpression } from "../jmespath/mod.ts";
import { BoundedCache, Fault, isFault, type Scope } from "../json/mod.ts";
import { countNested, countPlanned } from "./counters.ts";
import { currentField } from "./path.ts";
import { chooseByOperation, compile, forDelete, noteUse, type Query, type TextPosition } from "./query.ts";
import { isDelete, type Render } from "./run.ts";
import type { Variable } from "./scan.ts";
import { asText, type PlannedVariable } from "./text.ts";

/**
 * The characters of the expressions that one variable with inner variables caches, half a megabyte at most: requests
 * make them up.
 */
const cachedCharacters = 4_096;

/** The characters that a short expression counts as, because of its compiled form. */
const charactersOfExpression = 32;

/**
 * The most characters of an expression with inner variables. Requests make them up, and compiling one holds the event
 * loop: a name or a key has at most some hundred characters.
 */
const maxExpression = 4_096;

/** Compiles a variable of a string. A variable with inner variables is compiled while rendering. */
export function planVariable(variable: Variable, position: TextPosition): PlannedVariable {
  const { parts, shallow, offset } = variable;
  const [only = ""] = parts;
  if (parts.length < 2 && typeof only === "string") {
    countPlanned();
    const plan = planExpression(only, offset, position);
    return { ...plan, shallow };
  }
  return { render: planNested(variable, position), shallow, expression: expressionText(parts) };
}

/** The expression as the policy has it. */
function expressionText(parts: Variable["parts"]): string {
  return parts.map((part) => typeof part === "string" ? part : `{{ ${expressionText(part.parts)} }}`).join(
    "",
  );
}

function planExpression(
  text: string,
  offset: number,
  position: TextPosition,
): { render: Render; expression: string } {
  if (text === "@") return planCurrentField(offset, position);
  const query = compile(text, position);
  noteUse({ text, offset }, query, position);
  return { render: chooseByOperation(text, query, position), expression: text };
}

/** `{{ @ }}`: the field of the resource at the string's path in the rule. */
function planCurrentField(offset: number, position: TextPosition): { render: Render; expression: string } {
  const steps = [...position.field, ...position.steps];
  const ofTarget = compile(currentField("target", steps), position);
  const inObject = currentField("request.object", steps);
  const ofObject = compile(inObject, position);
  noteUse({ text: inObject, offset }, ofObject, position);
  const inRequest = chooseByOperation(inObject, ofObject, position);
  const render: Render = (run) => hasTarget(run.scope) ? ofTarget.render(run) : inRequest(run);
  return { render, expression: "@" };
}

function hasTarget(scope: Scope): boolean {
  const target = scope.get("target");
  return target !== undefined && !isFault(target);
}

/**
 * Compiles a variable with inner variables: their values become text of the expression, which is then compiled, and
 * cached by the text. Braces in the inner values are plain text: only the policy's braces end the variable.
 */
function planNested({ parts, offset }: Variable, position: TextPosition): Render {
  const inner = parts.map((part) => typeof part === "string" ? part : planVariable(part, position));
  noteNested(parts, offset, position);
  const cache = new BoundedCache<Query>(cachedCharacters, (_, text) => charactersOfExpression + text.length);
  return (run) => {
    let text = "";
    for (const part of inner) {
      if (typeof part === "string") {
        text += part;
        continue;
      }
      const value = part.render(run);
      if (isFault(value)) return value;
      // When an inner variable has no value, the outer one has none either: half of an expression must not be
      // evaluated.
      if (value === "" && position.unresolved === "empty") return "";
      text += asText(value);
      if (text.length > maxExpression) {
        return new Fault(
          `an expression at path ${position.path} becomes longer than ${maxExpression} characters`,
        );
      }
    }
    const expression = isDelete(run.scope) ? forDelete(text.trim()) : text.trim();
    return cache.getOrMake(expression, () => {
      countNested();
      return compile(expression, position);
    }).render(run);
  };
}

/** Records the names and paths that an expression reads whatever its inner variables are. */
function noteNested(parts: Variable["parts"], offset: number, position: TextPosition): void {
  const unknown = "unknown__";
  const text = parts.map((part) => typeof part === "string" ? part : unknown).join("");
  const guess = compileExpression(text, position.expressions);
  const compiled = isFault(guess) ? undefined : guess;
  position.uses.push({
    expression: expressionText(parts),
    path: position.steps,
    column: offset + 1,
    names: compiled?.names.filter((name) => !name.includes(unknown)) ?? [],
    paths: compiled?.paths.filter((path) => !path.some((step) => step.includes(unknown))) ?? [],
    functions: compiled?.functions.filter((name) => !name.includes(unknown)) ?? [],
    calls: [],
  });
}
