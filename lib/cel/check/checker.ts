import {
  type Bind,
  type Call,
  type CelError,
  type CelExpression,
  type Comprehension,
  type Index,
  type ListLiteral,
  locate,
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
  intType,
  isDynamic,
  listType,
  mapType,
  mostGeneral,
  optionalElement,
  optionalType,
  Substitution,
} from "../types/mod.ts";
import type { CallReference, Checked } from "./checked.ts";
import type { Declarations, RootName } from "./declarations.ts";
import { findMixedLiterals } from "./homogeneous.ts";
import { literalType } from "./literal_type.ts";
import { resolveOverloads } from "./overloads.ts";

/** Options of the checker besides the declarations. */
export interface CheckOptions {
  readonly text: string;
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
  readonly #substitution = new Substitution();
  readonly #errors: CelError[] = [];
  readonly #names = new Map<CelExpression, RootName>();
  readonly #calls = new Map<CelExpression, CallReference>();
  readonly #types = new Map<CelExpression, CelType>();
  /** The variables of the comprehensions around the current part, innermost last. */
  readonly #scopes: ReadonlyMap<string, CelType>[] = [];

  constructor(declarations: Declarations, options: CheckOptions) {
    this.#declarations = declarations;
    this.#options = options;
  }

  run(expression: CelExpression): Checked {
    const type = this.#substitution.close(this.#check(expression));
    const typeOf = (part: CelExpression): CelType =>
      this.#substitution.close(this.#types.get(part) ?? dynType);
    if (this.#errors.length === 0 && this.#options.literals === "homogeneous") {
      this.#errors.push(...findMixedLiterals(expression, typeOf, this.#options.text));
    }
    this.#errors.sort((left, right) => left.offset - right.offset);
    return { type, errors: this.#errors, names: this.#names, calls: this.#calls, typeOf };
  }

  #report(offset: number, message: string): CelType {
    this.#errors.push(locate(this.#options.text, offset, message));
    return errorType;
  }

  #mismatch(offset: number, expected: CelType, found: CelType): CelType {
    const [wanted, given] = [expected, found].map((type) => describeType(this.#substitution.apply(type)));
    return this.#report(offset, `expected type '${wanted}' but found '${given}'`);
  }

  #undeclared(offset: number, name: string): CelType {
    const { container } = this.#declarations;
    return this.#report(offset, `undeclared reference to '${name}' (in container '${container}')`);
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

  #local(name: string): CelType | undefined {
    for (let depth = this.#scopes.length - 1; depth >= 0; depth--) {
      const type = this.#scopes[depth]!.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  #within<T>(variables: ReadonlyMap<string, CelType>, body: () => T): T {
    this.#scopes.push(variables);
    try {
      return body();
    } finally {
      this.#scopes.pop();
    }
  }

  #root(expression: CelExpression, name: string): CelType | undefined {
    const found = this.#declarations.lookup(name);
    if (found === undefined) return undefined;
    this.#names.set(expression, found);
    return found.type;
  }

  #ident(expression: CelExpression, name: string): CelType {
    const local = this.#local(name) ?? this.#root(expression, name);
    if (local !== undefined) return local;
    // A name with a leading dot is a root name; without such a root name it is a variable of a comprehension.
    return this.#local(name.replace(/^\./, "")) ?? this.#undeclared(expression.offset, name);
  }

  #select(expression: Select): CelType {
    const { operand, field, mode, offset } = expression;
    const name = qualifiedName(expression);
    // A dotted name is one name when it is declared, unless its first part is a comprehension's variable.
    if (name !== undefined && this.#local(name.split(".")[0]!) === undefined) {
      const type = this.#root(expression, name);
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
      return type.field(field) ?? this.#report(offset, `undefined field '${field}'`);
    }
    if (type.kind === "parameter") this.#substitution.assign([dynType], [type]);
    else if (!isDynamic(type)) {
      // Kyverno parity: Kubernetes declares its types as objects and then does not find their fields. Pinned by
      // tests/cel/errors_test.ts.
      const message = type.kind === "opaque" && type.name.startsWith("kubernetes.")
        ? `unexpected failed resolution of '${type.name}'`
        : `type '${describeType(type)}' does not support field selection`;
      this.#report(offset, message);
    }
    return dynType;
  }

  #index(expression: Index): CelType {
    const { operand, index, mode, offset } = expression;
    const types = [this.#check(operand), this.#check(index)];
    return this.#resolve(expression, mode === "optional" ? "_[?_]" : "_[_]", {
      args: [operand, index],
      types,
      offset,
    });
  }

  #call(expression: Call): CelType {
    const { name, target, args, offset } = expression;
    const types = args.map((arg) => this.#check(arg));
    if (target === undefined) return this.#resolve(expression, name, { args, types, offset });
    const prefix = qualifiedName(target);
    const dotted = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (dotted !== undefined && this.#declarations.findFunction(dotted) !== undefined) {
      return this.#resolve(expression, dotted, { args, types, offset });
    }
    return this.#resolve(expression, name, {
      args: [target, ...args],
      types: [this.#check(target), ...types],
      offset,
      style: "method",
    });
  }

  #resolve(
    expression: CelExpression,
    name: string,
    call: {
      readonly args: readonly CelExpression[];
      readonly types: readonly CelType[];
      readonly offset: number;
      readonly style?: "method";
    },
  ): CelType {
    const { args, types, offset, style = "function" } = call;
    const declaration = this.#declarations.findFunction(name);
    if (declaration === undefined) return this.#undeclared(offset, name);
    const resolution = resolveOverloads(declaration, { style, types }, this.#substitution);
    if (resolution === undefined) {
      const fits = (arity: number): boolean => arity === args.length;
      const overloads = declaration.overloads.filter((one) =>
        one.style === style && fits(one.parameters.length)
      );
      this.#calls.set(expression, { name: declaration.name, overloads, args });
      return this.#noOverload(declaration.name, types, { offset, style });
    }
    this.#calls.set(expression, { name: declaration.name, overloads: resolution.overloads, args });
    return resolution.type;
  }

  #noOverload(
    name: string,
    types: readonly CelType[],
    { offset, style }: { readonly offset: number; readonly style?: "function" | "method" },
  ): CelType {
    const described = types.map((type) => describeType(this.#substitution.close(type)));
    const signature = style === "method"
      ? `${described[0]}.(${described.slice(1).join(", ")})`
      : `(${described.join(", ")})`;
    return this.#report(offset, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #logic({ terms }: Logic): CelType {
    const types = terms.map((term) => this.#check(term));
    types.forEach((type, index) => this.#expectBool(type, terms[index]!.offset));
    return boolType;
  }

  #expectBool(type: CelType, offset: number): void {
    if (!this.#substitution.assign([type], [boolType])) this.#mismatch(offset, boolType, type);
  }

  /** The type of an element that may be optional: `[?x]`, `{?k: x}`. */
  #element(expression: CelExpression, optional: boolean): CelType {
    const type = this.#check(expression);
    if (!optional) return type;
    const inner = optionalElement(this.#substitution.apply(type));
    if (inner === undefined && !isDynamic(type)) this.#mismatch(expression.offset, optionalType(type), type);
    return inner ?? type;
  }

  /** The common type of an element and those before it. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.#substitution.assign([previous], [current])) return mostGeneral(previous, current);
    return dynType;
  }

  #list({ elements }: ListLiteral): CelType {
    let type: CelType | undefined;
    for (const { value, optional } of elements) {
      type = this.#join(type, this.#element(value, optional));
    }
    return listType(type ?? this.#substitution.fresh());
  }

  #map({ entries }: MapLiteral): CelType {
    let keys: CelType | undefined, values: CelType | undefined;
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.#check(key));
      values = this.#join(values, this.#element(value, optional));
    }
    return mapType(keys ?? this.#substitution.fresh(), values ?? this.#substitution.fresh());
  }

  #struct({ type: name, fields, offset }: StructLiteral): CelType {
    const type = this.#declarations.findStruct(name);
    for (const { name: field, value, optional, offset: colon } of fields) {
      const given = this.#element(value, optional);
      if (type === undefined) continue;
      const wanted = type.field?.(field);
      if (wanted === undefined) this.#report(colon, `undefined field '${field}'`);
      else if (!this.#substitution.assign([wanted], [given])) {
        const [expected, found] = [wanted, given].map((one) => describeType(this.#substitution.apply(one)));
        this.#report(
          colon,
          `expected type of field '${field}' is '${expected}' but provided type is '${found}'`,
        );
      }
    }
    return type ?? this.#undeclared(offset, name);
  }

  #bind({ name, value, body }: Bind): CelType {
    const type = this.#check(value);
    return this.#within(new Map([[name, type]]), () => this.#check(body));
  }

  #comprehension(expression: Comprehension): CelType {
    const { range, variables } = expression;
    const elements = this.#elements(range, variables.length);
    const scope = new Map(variables.map((name, index) => [name, elements[index]!]));
    return this.#within(scope, () => this.#fold(expression, elements));
  }

  /** The types of the variables over a range: element or key; index or key, and value. */
  #elements(range: CelExpression, count: number): readonly CelType[] {
    const type = this.#substitution.apply(this.#check(range));
    if (type.kind === "list") return count === 1 ? [type.parameters[0]!] : [intType, type.parameters[0]!];
    if (type.kind === "map") return type.parameters;
    if (type.kind === "parameter") this.#substitution.assign([dynType], [type]);
    else if (!isDynamic(type)) {
      this.#report(
        range.offset,
        `expression of type '${
          describeType(type)
        }' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
      return [errorType, errorType];
    }
    return [dynType, dynType];
  }

  #fold({ fold, filter, body, offset }: Comprehension, [first]: readonly CelType[]): CelType {
    const isBool = (type: CelType): boolean => this.#substitution.assign([type], [boolType]);
    const filterType = filter === undefined ? undefined : this.#check(filter);
    const bodyType = this.#check(body);
    // Kubernetes expands macros to operators over an accumulator, and its messages name these operators.
    const conditional = (condition: CelType, kept: CelType): void => {
      if (!isBool(condition)) this.#noOverload("_?_:_", [condition, kept, kept], { offset });
    };
    switch (fold) {
      case "all":
      case "exists":
        this.#expectBool(bodyType, body.offset);
        return boolType;
      case "existsOne":
        conditional(bodyType, intType);
        return boolType;
      case "filter": {
        const result = listType(first ?? dynType);
        conditional(bodyType, result);
        return result;
      }
      case "list": {
        const result = listType(bodyType);
        if (filterType !== undefined) conditional(filterType, result);
        return result;
      }
      case "map": {
        const result = mapType(first ?? dynType, bodyType);
        if (filterType !== undefined) conditional(filterType, result);
        return result;
      }
      case "mapEntry": {
        const entry = mapType(this.#substitution.fresh(), this.#substitution.fresh());
        if (!this.#substitution.assign([bodyType], [entry])) {
          return this.#noOverload("cel.@mapInsert", [entry, bodyType], { offset });
        }
        if (filterType !== undefined) conditional(filterType, entry);
        return this.#substitution.apply(isDynamic(bodyType) ? mapType(dynType, dynType) : bodyType);
      }
    }
  }
}
