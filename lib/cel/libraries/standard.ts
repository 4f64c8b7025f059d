import { comprehensionMacro, type Macro } from "../syntax/mod.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../types/mod.ts";
import { conversions } from "./conversions.ts";
import type { CelDialect, Library } from "./library.ts";
import { operators } from "./standard_operators.ts";
import { textFunctions } from "./text_functions.ts";
import { timeFunctions } from "./time_functions.ts";

const has: Macro = {
  name: "has",
  style: "function",
  arity: 1,
  expand({ args, offset, fail }) {
    const [operand] = args;
    if (operand?.kind === "select" && operand.mode === "value") {
      return { ...operand, mode: "presence", offset };
    }
    return fail(operand!.offset, "invalid argument to has() macro");
  },
};

const shared = [...operators, ...conversions, ...textFunctions];

const macros: readonly Macro[] = [
  has,
  comprehensionMacro({ name: "all", fold: "all", variables: 1 }),
  comprehensionMacro({ name: "exists", fold: "exists", variables: 1 }),
  comprehensionMacro({ name: "exists_one", fold: "existsOne", variables: 1 }),
  comprehensionMacro({ name: "existsOne", fold: "existsOne", variables: 1 }),
  comprehensionMacro({ name: "map", fold: "list", variables: 1 }),
  comprehensionMacro({ name: "map", fold: "list", variables: 1, filtered: true }),
  comprehensionMacro({ name: "filter", fold: "filter", variables: 1 }),
];

const types: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  stringType,
  timestampType,
  typeType(),
  uintType,
];

const standardLibraries: Readonly<Record<CelDialect, Library>> = {
  kubernetes: { name: "standard", functions: [...shared, ...timeFunctions("kubernetes")], macros, types },
  specification: {
    name: "standard",
    functions: [...shared, ...timeFunctions("specification")],
    macros,
    types,
  },
};

/** The library of every environment: operators, conversions, `size`, text, time, and the macros with one variable. */
export function standardLibrary(dialect: CelDialect): Library {
  return standardLibraries[dialect];
}
