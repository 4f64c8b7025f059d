import { Fault, goJson, goPrint, isFault, type Json } from "../json/mod.ts";
import { stepsOfWriting } from "../jmespath/mod.ts";
import type { Render, RenderState } from "./run.ts";

/** A planned variable. */
export interface PlannedVariable {
  readonly render: Render;
  readonly shallow: boolean;
  /** The expression, as messages show it. */
  readonly expression: string;
}

/** A value in text: strings as they are, any other value as compact JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : goJson(value);
}

/** Joins pieces to a text, within the remaining characters. */
export function joinPieces(pieces: readonly (string | PlannedVariable)[], path: string): Render {
  return (run) => {
    const { budget } = run.environment;
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      const value = piece.render(run);
      if (isFault(value)) return value;
      const problem = typeof value === "number" && !Number.isFinite(value)
        ? `failed to marshal float64: ${goPrint(value)}`
        : piece.shallow && typeof value !== "string" && value !== null
        ? "{{- }} inside other text must yield a string"
        : "";
      if (problem !== "") {
        return new Fault(`failed to resolve ${piece.expression} at path ${path}: ${problem}`);
      }
      if (budget !== undefined) {
        budget.left -= typeof value === "string" ? value.length >> 5 : stepsOfWriting(value, budget.left);
        if (budget.left < 0) return tooManySteps;
      }
      text += asText(value);
      if (text.length > run.room) return tooLong(path);
    }
    return spend(text, run);
  };
}

const tooManySteps = new Fault("the values of variables take too many steps to be written into a text");

function spend(text: string, run: RenderState): string {
  run.room -= text.length;
  return text;
}

function tooLong(path: string): Fault {
  return new Fault(`variables at path ${path} yield more text than one template may hold`);
}
