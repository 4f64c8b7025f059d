import { CelFault, failure, isCelFault } from "../fault.ts";
import type { CallReference, Checked } from "../check/mod.ts";
import type { CallArgument, CelDialect, Result } from "../libraries/library.ts";
import type { Bind, CelExpression, Comprehension, MapLiteral, Select, StructLiteral } from "../syntax/mod.ts";
import type { TextProblem } from "../../diagnostics/mod.ts";
import { isListValue } from "../values/mod.ts";
import { type AccessStep, fieldStep, indexStep, planPath, planPresence, strictStep } from "./attribute.ts";
import { collapsed, planAlternative, planChoice, planLogic } from "./branch.ts";
import { planCall } from "./call.ts";
import { planFold } from "./fold.ts";
import { constantFrame, constantPlan, type EvaluateNode, type PlannedExpression } from "./frame.ts";
import { planList, planMap, type PlannedEntry, type PlannedField, planStruct } from "./literal.ts";
import { planMembership } from "./membership.ts";

/** A compiled expression, and the errors in its constants. */
export interface PlanResult {
  readonly run: EvaluateNode;
  readonly errors: readonly TextProblem[];
}

/** Options of the planner. */
export interface PlanOptions {
  readonly dialect: CelDialect;
}

/** Compiles a checked expression to closures, and computes its constant parts. */
export function plan(expression: CelExpression, checked: Checked, options: PlanOptions): PlanResult {
  const planner = new Planner(checked, options);
  const { run } = planner.plan(expression);
  return { run, errors: planner.errors };
}

/** The slot of a comprehension's variable in the frame. */
type Scope = ReadonlyMap<string, { readonly slot: number; readonly lazy: EvaluateNode | undefined }>;

class Planner {
  readonly errors: TextProblem[] = [];
  readonly #checked: Checked;
  readonly #dialect: CelDialect;
  readonly #roots = new Map<string, number>();
  #scope: Scope = new Map();
  #slots = 0;

  constructor(checked: Checked, { dialect }: PlanOptions) {
    this.#checked = checked;
    this.#dialect = dialect;
  }

  plan(expression: CelExpression): PlannedExpression {
    switch (expression.kind) {
      case "literal":
        return constantPlan(expression.value);
      case "ident":
      case "select":
      case "index":
        return this.#path(expression, 1);
      case "call":
        return this.#call(expression);
      case "logic":
        return { run: planLogic(expression.operator, expression.terms.map((term) => this.plan(term).run)) };
      case "list":
        return planList(
          expression.elements.map(({ value, optional }) => ({ ...this.plan(value), optional })),
        );
      case "map":
        return planMap(this.#entries(expression), this.#dialect);
      case "struct":
        return { run: planStruct(this.#fields(expression)) };
      case "comprehension":
        return { run: this.#comprehension(expression) };
      case "bind":
        return { run: this.#bind(expression) };
      case "broken":
        return constantPlan(failure("the expression could not be read"));
    }
  }

  /** Plans a path or a `?:` without its cost: branches of `?:` and keys have none. */
  #bare(expression: CelExpression): PlannedExpression {
    const isPath = expression.kind === "ident" || expression.kind === "select" || expression.kind === "index";
    return isPath ? this.#path(expression, 0) : this.plan(expression);
  }

  #path(expression: CelExpression, pathCost: 0 | 1): PlannedExpression {
    const steps: AccessStep[] = [];
    let base = expression;
    for (;;) {
      const declaration = this.#checked.names.get(base);
      if (declaration?.kind === "constant" && steps.length === 0) return constantPlan(declaration.value);
      if (declaration !== undefined || (base.kind !== "select" && base.kind !== "index")) break;
      if (base.kind === "select") {
        if (base.mode === "presence") {
          if (steps.length === 0) return { run: this.#presence(base.operand, base.field) };
          break;
        }
        steps.unshift(this.#fieldStep(base));
      } else steps.unshift(indexStep(this.#bare(base.index), base.mode));
      base = base.operand;
    }
    const chosen = base.kind === "call" && base.name === "_?_:_";
    return { run: planPath(this.#base(base), steps, chosen ? 0 : pathCost) };
  }

  #fieldStep({ field, mode }: Select): AccessStep {
    const step = fieldStep(field, mode === "optional" ? "optional" : "value");
    return this.#dialect === "specification" ? strictStep(step) : step;
  }

  #presence(operand: CelExpression, field: string): EvaluateNode {
    const steps: AccessStep[] = [];
    let base = operand;
    while (!this.#checked.names.has(base) && (base.kind === "select" || base.kind === "index")) {
      if (base.kind === "select" && base.mode === "presence") break;
      steps.unshift(
        base.kind === "index" ? indexStep(this.#bare(base.index), base.mode) : this.#fieldStep(base),
      );
      base = base.operand;
    }
    return planPresence(this.#base(base), steps, field);
  }

  /** Plans the start of a path: a variable, or any other expression. The path itself pays the cost of reading it. */
  #base(expression: CelExpression): EvaluateNode {
    const declaration = this.#checked.names.get(expression);
    if (declaration?.kind === "variable") {
      const { name } = declaration;
      const index = this.#roots.get(name) ?? this.#roots.size;
      this.#roots.set(name, index);
      return (frame) => frame.root(index, name);
    }
    if (declaration?.kind === "constant") return constantPlan(declaration.value).run;
    if (expression.kind !== "ident") return this.plan(expression).run;
    const local = this.#scope.get(expression.name.replace(/^\./, ""));
    if (local === undefined) {
      return constantPlan(new CelFault("no_such_attribute", `undeclared reference to '${expression.name}'`))
        .run;
    }
    const { slot, lazy } = local;
    if (lazy === undefined) return (frame) => collapsed(frame.slots[slot]!);
    return (frame) => {
      const value = frame.slots[slot];
      return collapsed(value === undefined ? frame.slots[slot] = lazy(frame) : value);
    };
  }

  #call(expression: CelExpression & { readonly kind: "call" }): PlannedExpression {
    const reference = this.#checked.calls.get(expression);
    if (reference === undefined) {
      return constantPlan(new CelFault("no_such_overload", `no such function: ${expression.name}`));
    }
    const { name, args, overloads } = reference;
    if (name === "_?_:_") {
      return { run: planChoice(this.plan(args[0]!).run, this.#bare(args[1]!).run, this.#bare(args[2]!).run) };
    }
    if (overloads[0]?.id === "optional_or_optional" || overloads[0]?.id === "optional_orValue_value") {
      const method = overloads[0].id === "optional_orValue_value" ? "orValue" : "or";
      return { run: planAlternative(this.plan(args[0]!).run, this.plan(args[1]!).run, method) };
    }
    const planned = args.map((arg) => this.plan(arg));
    const found = this.errors.length;
    this.#inspect(expression, reference, planned);
    if (this.errors.length > found) return constantPlan(failure("an argument is not valid"));
    if (name === "@in" && overloads.length === 1 && overloads[0]!.id === "in_list") {
      const membership = planMembership(planned[0]!, planned[1]!.constant);
      if (membership !== undefined) return membership;
    }
    return this.#folded(expression, planCall(reference, planned), { reference, planned });
  }

  /** Computes a conversion of a constant at load; its error is an error of the expression. */
  #folded(
    expression: CelExpression,
    run: EvaluateNode,
    { reference, planned }: {
      readonly reference: CallReference;
      readonly planned: readonly PlannedExpression[];
    },
  ): PlannedExpression {
    const folds = reference.overloads.length > 0 &&
      reference.overloads.every((overload) => overload.folds === true);
    const argument = planned[0]?.constant;
    if (!folds || planned.length !== 1 || argument === undefined) return { run };
    const value = planned.map(({ constant }) => constant);
    const result = isCelFault(value[0]) ? value[0] : run(constantFrame());
    if (isCelFault(result)) this.#report(expression.offset, result.message);
    return constantPlan(result);
  }

  #report(offset: number, message: string): void {
    this.errors.push({ offset, message });
  }

  /** Reports errors in constant arguments. */
  #inspect(
    call: CelExpression,
    { overloads, args }: CallReference,
    planned: readonly PlannedExpression[],
  ): void {
    for (const { check } of overloads) {
      const mistake = check?.(args.map((arg, index) => this.#argument(arg, planned[index]!.constant)));
      if (mistake === undefined) continue;
      this.#report(mistake.offset ?? call.offset, mistake.message);
      return;
    }
  }

  #argument(arg: CelExpression, constant: Result | undefined): CallArgument {
    const value = isCelFault(constant) ? undefined : constant;
    const elements = arg.kind === "list"
      ? arg.elements.map((element, index) =>
        this.#argument(element.value, isListValue(value) ? value[index] : undefined)
      )
      : undefined;
    return { type: this.#checked.typeOf(arg), value, offset: arg.offset, elements };
  }

  #entries({ entries }: MapLiteral): PlannedEntry[] {
    return entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
  }

  #fields({ fields }: StructLiteral): PlannedField[] {
    return fields.map(({ name, value, optional }) => ({ name, optional, run: this.plan(value).run }));
  }

  #within<T>(variables: Scope, body: () => T): T {
    const outer = this.#scope;
    this.#scope = new Map([...outer, ...variables]);
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }

  #comprehension({ fold, range, variables, filter, body }: Comprehension): EvaluateNode {
    const planned = this.plan(range).run;
    const slots = variables.map(() => this.#slots++);
    const scope = new Map(variables.map((name, index) => [name, { slot: slots[index]!, lazy: undefined }]));
    return this.#within(scope, () => {
      const element = this.plan(body);
      return planFold({
        fold,
        range: planned,
        slots,
        filter: filter === undefined ? undefined : this.plan(filter).run,
        body: element.run,
        elementCost: element.constant === undefined ? 10 : 0,
      });
    });
  }

  #bind({ name, value, body }: Bind): EvaluateNode {
    const lazy = this.plan(value).run;
    const slot = this.#slots++;
    const run = this.#within(new Map([[name, { slot, lazy }]]), () => this.plan(body).run);
    return (frame) => {
      frame.slots[slot] = undefined;
      return run(frame);
    };
  }
}
