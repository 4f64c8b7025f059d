import { apart } from "../../json/mod.ts";
import { type CelFault, isCelFault, noSuchOverload } from "../fault.ts";
import { callingEffort } from "../effort.ts";
import type { CallReference } from "../check/mod.ts";
import type { Implementation, Overload, Result } from "../libraries/library.ts";
import { typeNameOf, type Value } from "../values/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import type { EvaluateNode, EvaluationFrame, PlannedExpression } from "./frame.ts";
import { type Guard, guardOf } from "./guard.ts";
import { work } from "../work.ts";
import { isSmall, workOfResult } from "./work_of_result.ts";

/** The work of reading whole values, if their size is available without reading them. */
function weight(values: readonly Result[]): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (typeof value === "string") sum += value.length;
    else if (Array.isArray(value)) sum += value.length;
  }
  return sum;
}

/**
 * Counts a call that costs 1 whatever the size of its arguments. In Kubernetes `size` and `in` cost 1 even for
 * megabytes, so the work is counted, too.
 */
function payFlat(frame: EvaluationFrame, args: readonly Result[]): void {
  frame.cost += 1;
  const looked = weight(args);
  if (looked > 1000) work(looked);
}

/** Calls an implementation with evaluated arguments. */
type Dispatch = (args: readonly Value[], external: ExternalCalls | undefined) => Result;

/** Plans a call with planned arguments. */
export function planCall(
  { name, overloads }: CallReference,
  args: readonly PlannedExpression[],
): EvaluateNode {
  const only = overloads.length === 1 ? overloads[0]! : undefined;
  const constants = args.map(({ constant }) => isCelFault(constant) ? undefined : constant);
  const dispatch = dispatcher(name, overloads, constants);
  const cost = sharedCost(overloads);
  const plain = sharedImplementation(overloads);
  if (plain !== undefined && args.length === 2) return planBinary(plain, args, cost);
  if (only !== undefined && only.callOut === undefined && (args.length === 1 || args.length === 2)) {
    const prepared = only.prepare?.(constants);
    const guarded = {
      call: withoutSource(only, prepared ?? only.forCall?.() ?? only.call),
      args,
      prepared: prepared !== undefined,
      constants,
    };
    return args.length === 1 ? planGuardedUnary(name, only, guarded) : planGuardedBinary(name, only, guarded);
  }
  const runs = args.map(({ run }) => run);
  const effort = overloads.find((each) => each.effort)?.effort ??
    (overloads.some((each) => each.callOut) ? callingEffort : undefined);
  const last = runs.length - 1;
  return (frame) => {
    const results: Result[] = [];
    for (let index = 0; index <= last; index++) {
      const result = runs[index]!(frame);
      results.push(result);
      if (!isCelFault(result)) continue;
      // As in cel-go, arguments after an error are not evaluated, and a call without all arguments costs nothing.
      if (index < last) return result;
      frame.spend(cost === undefined ? 1 : cost(results, result));
      return result;
    }
    if (only?.superlinear === true && cost !== undefined) frame.afford(cost(results, null));
    if (effort !== undefined) work(effort(results, constants));
    const result = dispatch(results as Value[], frame.external);
    if (!isSmall(result)) work(workOfResult(result, results));
    if (cost !== undefined) frame.spend(cost(results, result));
    else if (last >= 0) payFlat(frame, results);
    else frame.cost += 1;
    return result;
  };
}

/**
 * An operator on any two values. It makes a list of arguments only when its cost needs one.
 * tests/bench/cel_bench.ts, "has and compare": without it the expression takes 8 % more.
 */
function planBinary(
  call: Implementation,
  args: readonly PlannedExpression[],
  cost: Overload["cost"],
): EvaluateNode {
  const left = args[0]!.run, right = args[1]!.run;
  return (frame) => {
    const a = left(frame), b = right(frame);
    const result = isCelFault(a) ? a : isCelFault(b) ? b : call(a, b);
    if (!isSmall(result)) work(workOfResult(result, [a, b]));
    if (cost === undefined) payFlat(frame, [a, b]);
    else frame.spend(cost([a, b], result));
    return result;
  };
}

interface Guarded {
  readonly call: Implementation;
  readonly args: readonly PlannedExpression[];
  /** Whether the call was prepared for its constants; errors as arguments of such a call cost nothing. */
  readonly prepared: boolean;
  /** The values of arguments that are fixed at load. */
  readonly constants: readonly (Value | undefined)[];
}

const anything: Guard = () => true;

function guardsOf({ parameters, dispatches }: Overload): readonly (Guard | undefined)[] {
  return dispatches === true ? [] : parameters.map(guardOf);
}

/** Plans a call with one argument of the only overload that fits. */
function planGuardedUnary(
  name: string,
  overload: Overload,
  { call, args, constants }: Guarded,
): EvaluateNode {
  const { cost, superlinear, effort } = overload;
  const run = args[0]!.run, [guard = anything] = guardsOf(overload);
  return (frame) => {
    const value = run(frame);
    if (superlinear === true && cost !== undefined) frame.afford(cost([value], null));
    if (effort !== undefined) work(effort([value], constants));
    const result = isCelFault(value) ? value : guard(value) ? call(value) : misfit(name, [value]);
    if (!isSmall(result)) work(workOfResult(result, [value]));
    if (cost === undefined) payFlat(frame, [value]);
    else frame.spend(cost([value], result));
    return result;
  };
}

/**
 * Plans a call with two arguments of the only overload that fits. tests/bench/cel_bench.ts, "all": with the general
 * call the expression takes 18 % more.
 */
function planGuardedBinary(
  name: string,
  overload: Overload,
  { call, args, prepared, constants }: Guarded,
): EvaluateNode {
  const { cost, superlinear, effort } = overload;
  const left = args[0]!.run, right = args[1]!.run;
  const [leftGuard = anything, rightGuard = anything] = guardsOf(overload);
  return (frame) => {
    const a = left(frame), b = right(frame);
    const fault = isCelFault(a) ? a : isCelFault(b) ? b : undefined;
    if (fault !== undefined && prepared) return fault;
    if (superlinear === true && cost !== undefined) frame.afford(cost([a, b], null));
    if (effort !== undefined) work(effort([a, b], constants));
    const result = fault ??
      (leftGuard(a as Value) && rightGuard(b as Value)
        ? call(a as Value, b as Value)
        // A call that cel-go prepared for a constant pattern has an error without a name.
        : prepared
        ? noSuchOverload()
        : misfit(name, [a as Value, b as Value]));
    if (!isSmall(result)) work(workOfResult(result, [a, b]));
    if (cost === undefined) payFlat(frame, [a, b]);
    else frame.spend(cost([a, b], result));
    return result;
  };
}

const nameless = new Set(["contains", "endsWith", "startsWith"]);

/** The error of arguments that no overload takes. Kubernetes names their types, except for operators on any type. */
function misfit(name: string, args: readonly Value[]): CelFault {
  if (nameless.has(name)) return noSuchOverload();
  const takesAny = name === "size" || name === "matches";
  return noSuchOverload(takesAny ? name : `${name}(${args.map(typeNameOf).join(", ")})`);
}

/** The implementation that all overloads share, when it checks the types of values itself. */
function sharedImplementation(overloads: readonly Overload[]): Implementation | undefined {
  const [first] = overloads;
  return first?.dispatches === true && overloads.every(({ call }) => call === first.call)
    ? first.call
    : undefined;
}

/** The common cost of all overloads; a call of overloads with different costs costs 1. */
function sharedCost(overloads: readonly Overload[]): Overload["cost"] {
  const cost = overloads[0]?.cost;
  return overloads.every((overload) => overload.cost === cost) ? cost : undefined;
}

interface Candidate {
  readonly guards: readonly (Guard | undefined)[];
  readonly call: Implementation;
  readonly callOut: Overload["callOut"];
}

/**
 * Returns a function that selects among overloads by the kinds of the arguments; without a selection when all share
 * one implementation.
 */
function dispatcher(
  name: string,
  overloads: readonly Overload[],
  constants: readonly (Value | undefined)[],
): Dispatch {
  const candidates = overloads.map((overload): Candidate => ({
    guards: guardsOf(overload),
    call: withoutSource(overload, overload.prepare?.(constants) ?? overload.forCall?.() ?? overload.call),
    callOut: overload.forCallOut?.() ?? overload.callOut,
  }));
  return (args, external) => {
    for (const { guards, call, callOut } of candidates) {
      if (!accepts(guards, args)) continue;
      if (callOut === undefined) return call(...args);
      return external === undefined
        ? noSuchOverload(`${name} (nothing answers it here)`)
        : callOut(external, ...args);
    }
    return misfit(name, args);
  };
}

/** An implementation whose result keeps no long text that it was cut from, where it may be cut from one. */
function withoutSource({ parameters, result }: Overload, call: Implementation): Implementation {
  const mayCut = ["string", "list", "dyn"].includes(result.kind) &&
    parameters.some(({ kind }) => kind === "string");
  return mayCut ? (...args) => apart(call(...args), args) : call;
}

function accepts(guards: readonly (Guard | undefined)[], args: readonly Value[]): boolean {
  for (let index = 0; index < guards.length; index++) {
    const guard = guards[index];
    if (guard !== undefined && !guard(args[index]!)) return false;
  }
  return true;
}
