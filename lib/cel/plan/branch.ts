import { type CelFault, firstFault, isCelFault, noSuchOverload } from "../fault.ts";
import type { Result } from "../libraries/library.ts";
import type { Logic } from "../syntax/mod.ts";
import { Optional } from "../values/mod.ts";
import type { EvaluateNode, EvaluationFrame } from "./frame.ts";

/** `a ? b : c`. Neither it nor the path of the chosen branch has a cost. */
export function planChoice(condition: EvaluateNode, yes: EvaluateNode, no: EvaluateNode): EvaluateNode {
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return collapsed(yes(frame));
    if (chosen === false) return collapsed(no(frame));
    return isCelFault(chosen) ? chosen : noSuchOverload();
  };
}

/**
 * `or`, which returns an optional, and `orValue`, which returns its value. The other expression is evaluated only when
 * it is needed; neither has a cost.
 */
export function planAlternative(
  preferred: EvaluateNode,
  other: EvaluateNode,
  method: "or" | "orValue",
): EvaluateNode {
  return (frame) => {
    const value = preferred(frame);
    if (isCelFault(value)) return value;
    // A value that is not an optional is the result, as in Kubernetes.
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return other(frame);
    return method === "orValue" ? value.value : value;
  };
}

/** `&&` and `||`: when one term decides, the errors of all other terms are ignored. */
export function planLogic(operator: Logic["operator"], runs: readonly EvaluateNode[]): EvaluateNode {
  const deciding = operator === "||";
  const rest = (frame: EvaluationFrame, from: number, before: CelFault | undefined): Result => {
    let fault = before;
    for (let index = from; index < runs.length; index++) {
      const value = runs[index]!(frame);
      if (value === deciding) return deciding;
      if (typeof value !== "boolean") {
        fault = firstFault(fault, isCelFault(value) ? value : noSuchOverload());
      }
    }
    return fault ?? !deciding;
  };
  if (runs.length !== 2) return (frame) => rest(frame, 0, undefined);
  const [first, second] = runs as [EvaluateNode, EvaluateNode];
  return (frame) => {
    const value = first(frame);
    if (value === deciding) return deciding;
    if (typeof value !== "boolean") return rest(frame, 1, isCelFault(value) ? value : noSuchOverload());
    const other = second(frame);
    return typeof other === "boolean" ? other : isCelFault(other) ? other : noSuchOverload();
  };
}

/** The value of a slot or branch: what an optional of an optional holds. */
export function collapsed(value: Result): Result {
  return value instanceof Optional ? Optional.collapse(value) : value;
}
