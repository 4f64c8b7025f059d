/** The grammar of CEL: it parses text to expressions with offsets, and reports several errors at once. */
export * from "./expression.ts";
export { comprehensionMacro, type Macro, type MacroCall, variableName } from "./macro.ts";
export { type Grammar, parse, type Parsed } from "./parser.ts";
export { reservedWords } from "./reserved_words.ts";
export { type CelError, formatCelError, locateProblems } from "./source.ts";
