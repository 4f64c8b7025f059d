import { type CelType, dynType, errorType, isDynamic, sameType } from "./cel_type.ts";

/** The types that type variables are bound to so far. Unifying two types adds bindings. */
export class Substitution {
  readonly #bound = new Map<string, CelType>();
  /** The bindings that the current `assign` replaced. */
  #replaced: { readonly name: string; readonly former: CelType | undefined }[] = [];
  #fresh = 0;

  /** A fresh type variable without bindings. */
  fresh(): CelType {
    return { kind: "parameter", name: `_var${this.#fresh++}`, parameters: [] };
  }

  /**
   * Whether values of the first types are assignable to the second types. It binds type variables when they are, and
   * nothing when they are not.
   */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#replaced = [];
    if (this.#allAssignable(from, to)) return true;
    for (const { name, former } of this.#replaced.reverse()) {
      if (former === undefined) this.#bound.delete(name);
      else this.#bound.set(name, former);
    }
    return false;
  }

  /** Replaces bound variables; unbound ones stay. */
  apply(type: CelType): CelType {
    return this.#replace(type, (unbound) => unbound);
  }

  /** Replaces bound variables by their types and the others by dyn. */
  close(type: CelType): CelType {
    return this.#replace(type, () => dynType);
  }

  #replace(type: CelType, unbound: (type: CelType) => CelType): CelType {
    if (type.kind === "parameter") {
      const bound = this.#bound.get(type.name);
      return bound === undefined ? unbound(type) : this.#replace(bound, unbound);
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((parameter) => this.#replace(parameter, unbound)) };
  }

  #allAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.#assignable(type, to[index]!));
  }

  #assignable(from: CelType, to: CelType): boolean {
    if (to.kind === "parameter") {
      const answer = this.#bind(from, to);
      if (answer === "bound") return true;
      if (answer === "conflict") return false;
    }
    if (from.kind === "parameter") return this.#bind(to, from) === "bound";
    if (isDynamic(from) || isDynamic(to)) return true;
    if (from.kind === "null") return isNullable(to);
    if (to.kind === "null") return isNullable(from);
    if (from.kind !== to.kind) return false;
    if (from.kind === "type") return true;
    return from.name === to.name && this.#allAssignable(from.parameters, to.parameters);
  }

  /** Binds a variable to a type, or to the more general of the type and its present binding. */
  #bind(type: CelType, variable: CelType): "bound" | "conflict" | "recursive" {
    if (sameType(type, variable)) return "bound";
    const current = this.#bound.get(variable.name);
    if (current === undefined) {
      if (this.#occurs(variable, type)) return "recursive";
      this.#set(variable, type);
      return "bound";
    }
    if (sameType(type, current)) return "bound";
    if (!this.#assignable(type, current)) return "conflict";
    const general = mostGeneral(type, current);
    if (!this.#occurs(variable, general)) this.#set(variable, general);
    return "bound";
  }

  #set({ name }: CelType, type: CelType): void {
    this.#replaced.push({ name, former: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #occurs(variable: CelType, within: CelType): boolean {
    if (sameType(variable, within)) return true;
    if (within.kind === "parameter") {
      const bound = this.#bound.get(within.name);
      return bound !== undefined && this.#occurs(variable, bound);
    }
    return within.parameters.some((parameter) => this.#occurs(variable, parameter));
  }
}

/** Whether values of the type may be null. CEL was made for protocol buffers, where messages may be absent. */
function isNullable(type: CelType): boolean {
  return ["null", "opaque", "object", "duration", "timestamp"].includes(type.kind);
}

/** The more general of two types of which one is assignable to the other. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  if (left.kind === "null" && isNullable(right)) return right;
  if (right.kind === "null" && isNullable(left)) return left;
  return isLessSpecific(left, right) ? left : right;
}

function isLessSpecific(left: CelType, right: CelType): boolean {
  if (left.kind === "dyn" || left.kind === "parameter") return true;
  if (right.kind === "dyn" || right.kind === "parameter") return false;
  if (left.kind !== right.kind || left.name !== right.name) return false;
  if (left.kind === "type" || left === errorType) return true;
  return left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, index) => isLessSpecific(parameter, right.parameters[index]!));
}
