import { type CompiledExpression, compileExpression, type ExpressionOptions } from "../jmespath/mod.ts";
import { Fault, goJson, isFault, type Json, type Scope } from "../json/mod.ts";
import { countNested, countPlanned } from "./counters.ts";
import { currentField } from "./path.ts";
import { isDelete, type Render, type Run } from "./run.ts";
import type { Variable } from "./scan.ts";
import type { Place, Use } from "./use.ts";

/** What planning a variable needs to know of where it stands. */
export interface Spot {
  /** The string's path as the reference writes it, for messages. */
  readonly path: string;
  /** The string's place in the document. */
  readonly place: Place;
  /** Where the document itself stands in its rule, for `{{ @ }}`. */
  readonly field: Place;
  /** What becomes of a variable without a value. */
  readonly unresolved: "fault" | "empty";
  /** How expressions are read. */
  readonly expressions: ExpressionOptions;
  /** Collects the variables. */
  readonly uses: Use[];
}

/** A planned variable: its value for a run. */
export interface PlannedVariable {
  readonly render: Render;
  readonly shallow: boolean;
  /** What messages call it. */
  readonly expression: string;
}

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

/** Kyverno parity: in a deletion every `request.object`, even inside a string, means `request.oldObject`. */
function forDelete(text: string): string {
  return text.replaceAll("request.object", "request.oldObject");
}

function chooseByOperation(text: string, alive: Query, spot: Spot): Render {
  const textForDelete = forDelete(text);
  if (textForDelete === text) return alive.render;
  const deleted = compile(textForDelete, spot);
  return (run) => isDelete(run.scope) ? deleted.render(run) : alive.render(run);
}

/** A compiled expression, or what keeps it from being one. */
interface Query {
  readonly render: Render;
  readonly compiled: CompiledExpression | Fault;
}

function compile(text: string, spot: Spot): Query {
  const failed = `failed to resolve ${text} at path ${spot.path}: `;
  if (text === "") return broken(new Fault(`${failed}invalid query (nil)`));
  const compiled = compileExpression(text, spot.expressions);
  if (isFault(compiled)) return broken(new Fault(`${failed}incorrect query ${text}: ${compiled.message}`));
  const { names } = compiled;
  const render: Render = ({ scope, environment }) => {
    const value = compiled.evaluate(scope, environment);
    if (!isFault(value)) return value;
    // What the scope could not get is the cause itself; it is no failure of the expression, and never an empty string.
    if (value.missing === undefined && names.some((name) => scope.get(name) === value)) {
      return new Fault(failed + value.message);
    }
    if (spot.unresolved === "empty") return "";
    return new Fault(`${failed}JMESPath query failed: ${value.message}`, value.missing);
  };
  return { render, compiled };
}

function broken(fault: Fault): Query {
  return { render: () => fault, compiled: fault };
}

function noteUse(text: string, offset: number, { compiled }: Query, spot: Spot): void {
  const place = { expression: text, path: spot.place, column: offset + 1 };
  if (isFault(compiled)) {
    spot.uses.push({ ...place, names: [], readsAll: false, paths: [], problem: compiled });
    return;
  }
  const { names, readsAll, paths } = compiled;
  spot.uses.push({ ...place, names, readsAll, paths });
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
    // An unknown root may be any name.
    readsAll: known === undefined || known.readsAll || known.names.some((name) => name.includes(unknown)),
    paths: known?.paths.filter((path) => !path.some((step) => step.includes(unknown))) ?? [],
  });
}

/** A value as it is put into text: strings as they are, anything else as compact JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : goJson(value);
}

/** Puts together the text of pieces, within the room that is left. */
export function joinPieces(pieces: readonly (string | PlannedVariable)[], path: string): Render {
  return (run) => {
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      const value = piece.render(run);
      if (isFault(value)) return value;
      if (piece.shallow && typeof value !== "string" && value !== null) {
        return new Fault(
          `failed to resolve ${piece.expression} at path ${path}: ` +
            `{{- }} inside other text must yield a string`,
        );
      }
      text += asText(value);
      if (text.length > run.room) return tooLong(path);
    }
    return spend(text, run);
  };
}

function spend(text: string, run: Run): string {
  run.room -= text.length;
  return text;
}

function tooLong(path: string): Fault {
  return new Fault(`variables at path ${path} yield more text than one template may hold`);
}
