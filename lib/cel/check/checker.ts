import {
  type Bind,
  type Call,
  type CelExpression,
  type Comprehension,
  type Index,
  type ListLiteral,
  type Logic,
  type MapLiteral,
  qualifiedName,
  type Select,
  type StructLiteral,
} from "../syntax/mod.ts";
import {
  boolType,
  type CelType,
  describeType,
  dynType,
  errorType,
  isDynamic,
  listType,
  mapType,
  optionalElement,
  optionalType,
  type Substitution,
} from "../types/mod.ts";
import type { Checked } from "./checked.ts";
import { foldType, rangeTypes } from "./comprehension_type.ts";
import type { Declarations } from "./declarations.ts";
import { findMixedLiterals } from "./homogeneous.ts";
import { Inference } from "./inference.ts";
import { literalType } from "./literal_type.ts";

/** Options of the checker besides the declarations. */
export interface CheckOptions {
  /** Whether the elements of a list or map literal must have one type. */
  readonly literals: "homogeneous" | "mixed";
}

/** Determines the type of every part of an expression, and reports several mistakes at once. */
export function check(expression: CelExpression, declarations: Declarations, options: CheckOptions): Checked {
  return new Checker(declarations, options).run(expression);
}

class Checker {
  readonly #declarations: Declarations;
  readonly #options: CheckOptions;
  readonly #inference: Inference;
  readonly #substitution: Substitution;
  readonly #types = new Map<CelExpression, CelType>();

  constructor(declarations: Declarations, options: CheckOptions) {
    this.#declarations = declarations;
    this.#options = options;
    this.#inference = new Inference(declarations);
    this.#substitution = this.#inference.substitution;
  }

  run(expression: CelExpression): Checked {
    const { errors, names, calls } = this.#inference;
    const type = this.#substitution.close(this.#check(expression));
    const typeOf = (part: CelExpression): CelType =>
      this.#substitution.close(this.#types.get(part) ?? dynType);
    if (errors.length === 0 && this.#options.literals === "homogeneous") {
      errors.push(...findMixedLiterals(expression, typeOf));
    }
    return { type, errors, names, calls, typeOf };
  }

  #check(expression: CelExpression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: CelExpression): CelType {
    switch (expression.kind) {
      case "literal":
        return literalType(expression.value);
      case "ident":
        return this.#ident(expression, expression.name);
      case "select":
        return this.#select(expression);
      case "index":
        return this.#index(expression);
      case "call":
        return this.#call(expression);
      case "logic":
        return this.#logic(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "struct":
        return this.#struct(expression);
      case "comprehension":
        return this.#comprehension(expression);
      case "bind":
        return this.#bind(expression);
      case "broken":
        return errorType;
    }
  }

  #ident(expression: CelExpression, name: string): CelType {
    const local = this.#inference.local(name) ?? this.#inference.root(expression, name);
    if (local !== undefined) return local;
    // A name with a leading dot is a root name; without such a root name it is a variable of a comprehension.
    return this.#inference.local(name.replace(/^\./, "")) ??
      this.#inference.undeclared(expression.offset, name);
  }

  #select(expression: Select): CelType {
    const { operand, field, mode, offset } = expression;
    const name = qualifiedName(expression);
    // A dotted name is one name when it is declared, unless its first part is a comprehension's variable.
    if (name !== undefined && this.#inference.local(name.split(".")[0]!) === undefined) {
      const type = this.#inference.root(expression, name);
      if (type !== undefined) return type;
    }
    const type = this.#substitution.apply(this.#check(operand));
    const inner = optionalElement(type);
    const result = this.#field(inner ?? type, field, offset);
    if (mode === "presence") return boolType;
    const applied = this.#substitution.apply(result);
    return inner !== undefined || mode === "optional" ? optionalType(applied) : applied;
  }

  #field(type: CelType, field: string, offset: number): CelType {
    if (type.kind === "map") return type.parameters[1]!;
    if (type.field !== undefined) {
      return type.field(field) ?? this.#inference.report(offset, `undefined field '${field}'`);
    }
    if (type.kind === "parameter") this.#substitution.assign([dynType], [type]);
    else if (!isDynamic(type)) {
      // Kyverno parity: Kubernetes declares its types as objects and then does not find their fields. Pinned by
      // tests/cel/errors_test.ts.
      const message = type.kind === "opaque" && type.name.startsWith("kubernetes.")
        ? `unexpected failed resolution of '${type.name}'`
        : `type '${describeType(type)}' does not support field selection`;
      this.#inference.report(offset, message);
    }
    return dynType;
  }

  #index(expression: Index): CelType {
    const { operand, index, mode, offset } = expression;
    const types = [this.#check(operand), this.#check(index)];
    return this.#inference.resolve(expression, mode === "optional" ? "_[?_]" : "_[_]", {
      args: [operand, index],
      types,
      offset,
    });
  }

  #call(expression: Call): CelType {
    const { name, target, args, offset } = expression;
    const types = args.map((arg) => this.#check(arg));
    if (target === undefined) return this.#inference.resolve(expression, name, { args, types, offset });
    const prefix = qualifiedName(target);
    const dotted = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (dotted !== undefined && this.#declarations.findFunction(dotted) !== undefined) {
      return this.#inference.resolve(expression, dotted, { args, types, offset });
    }
    return this.#inference.resolve(expression, name, {
      args: [target, ...args],
      types: [this.#check(target), ...types],
      offset,
      style: "method",
    });
  }

  #logic({ terms }: Logic): CelType {
    const types = terms.map((term) => this.#check(term));
    types.forEach((type, index) => this.#inference.expectBool(type, terms[index]!.offset));
    return boolType;
  }

  /** The type of an element that may be optional: `[?x]`, `{?k: x}`. */
  #element(expression: CelExpression, optional: boolean): CelType {
    const type = this.#check(expression);
    if (!optional) return type;
    const inner = optionalElement(this.#substitution.apply(type));
    if (inner === undefined && !isDynamic(type)) {
      this.#inference.mismatch(expression.offset, optionalType(type), type);
    }
    return inner ?? type;
  }

  #list({ elements }: ListLiteral): CelType {
    let type: CelType | undefined;
    for (const { value, optional } of elements) {
      type = this.#inference.join(type, this.#element(value, optional));
    }
    return listType(type ?? this.#substitution.fresh());
  }

  #map({ entries }: MapLiteral): CelType {
    let keys: CelType | undefined, values: CelType | undefined;
    for (const { key, value, optional } of entries) {
      keys = this.#inference.join(keys, this.#check(key));
      values = this.#inference.join(values, this.#element(value, optional));
    }
    return mapType(keys ?? this.#substitution.fresh(), values ?? this.#substitution.fresh());
  }

  #struct({ type: name, fields, offset }: StructLiteral): CelType {
    const type = this.#declarations.findStruct(name);
    for (const { name: field, value, optional, offset: colon } of fields) {
      const given = this.#element(value, optional);
      if (type === undefined) continue;
      const wanted = type.field?.(field);
      if (wanted === undefined) this.#inference.report(colon, `undefined field '${field}'`);
      else if (!this.#substitution.assign([wanted], [given])) {
        const [expected, found] = [wanted, given].map((one) => describeType(this.#substitution.apply(one)));
        this.#inference.report(
          colon,
          `expected type of field '${field}' is '${expected}' but provided type is '${found}'`,
        );
      }
    }
    return type ?? this.#inference.undeclared(offset, name);
  }

  #bind({ name, value, body }: Bind): CelType {
    const type = this.#check(value);
    return this.#inference.within(new Map([[name, type]]), () => this.#check(body));
  }

  #comprehension(expression: Comprehension): CelType {
    const checks = { inference: this.#inference, check: (part: CelExpression) => this.#check(part) };
    const types = rangeTypes(expression, checks);
    const scope = new Map(expression.variables.map((name, index) => [name, types[index]!]));
    return this.#inference.within(scope, () => foldType(expression, types[0] ?? dynType, checks));
  }
}
