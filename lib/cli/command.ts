import type { Terminal } from "./terminal.ts";

/**
 * An option of a command. Its name on the command line is its key in {@link OptionTable}, spelt with hyphens:
 * `policyReport` is `--policy-report`; {@link longName}.
 */
export type OptionRecord =
  & {
    /** The text of the option in the help. */
    readonly about: string;
    /** A one-letter name. */
    readonly short?: string;
    /** Its name on the command line, where that is not its key with hyphens. */
    readonly long?: string;
    /** Whether the help leaves the option out, such as a second name of another option. */
    readonly hidden?: boolean;
  }
  & (
    /** On or off: `--flag`, `--flag=true`, `--flag=false`. The help shows a flag with default true as `--no-flag`. */
    | { readonly type: "flag"; readonly default?: boolean }
    /** One text; if the option is repeated, the last text counts. */
    | {
      readonly type: "text";
      readonly value: string;
      readonly default?: string;
      readonly choices?: readonly string[];
      readonly required?: true;
    }
    /** A whole number, 0 or more. */
    | { readonly type: "number"; readonly value: string; readonly default: number }
    /** Texts; the option may be repeated, and each text may be a list with commas. */
    | {
      readonly type: "list";
      readonly value: string;
      readonly default?: readonly string[];
      readonly required?: true;
    }
    /** Texts that may hold commas; the option may be repeated. */
    | { readonly type: "texts"; readonly value: string }
    /** An option of Kyverno that Postern does not support. Its use is an error that says what to use instead. */
    | { readonly type: "unsupported"; readonly value?: string; readonly instead: string }
  );

/** The options of a command by property name. */
export type OptionTable = Readonly<Record<string, OptionRecord>>;

type ValueOf<O> = O extends { type: "flag" } ? boolean
  : O extends { type: "text"; choices: readonly (infer C)[] } ? C
  : O extends { type: "text" } ? string
  : O extends { type: "number" } ? number
  : O extends { type: "list" | "texts" } ? readonly string[]
  : never;

/** Options whose value may be absent: texts without a default. */
type OptionalKeys<T> = {
  [K in keyof T]: T[K] extends { type: "text" }
    ? T[K] extends { default: string } | { required: true } ? never : K
    : T[K] extends { type: "unsupported" } ? K
    : never;
}[keyof T];

/** The parsed arguments of a command with this table of options. */
export type Given<T> =
  & { readonly [K in Exclude<keyof T, OptionalKeys<T>>]: ValueOf<T[K]> }
  & { readonly [K in OptionalKeys<T>]?: ValueOf<T[K]> };

/** An example command line, with a short description. */
export interface CommandExample {
  readonly does: string;
  readonly line: string;
}

/** An operand of a command: what follows its options. */
export interface OperandRecord {
  /** In the notation of the help: `<policy...>`, `[name]`. */
  readonly form: string;
  /** The text of the operand in the help. */
  readonly about: string;
  /** The words that a shell offers for it; without them it offers files. */
  choices?(): Promise<readonly string[]>;
}

/** A command of the command line. The help, the completion and the documentation are made from these records. */
export interface CommandRecord {
  /** Its name; a command of a group is `group name`. */
  readonly name: string;
  readonly about: string;
  readonly operands: readonly OperandRecord[];
  readonly options: OptionTable;
  readonly examples: readonly [CommandExample, CommandExample, ...CommandExample[]];
  /** Runs the command and returns the exit code. It imports the command's code only now. */
  run(
    operands: readonly string[],
    options: Readonly<Record<string, unknown>>,
    terminal: Terminal,
  ): Promise<number>;
}

/** A command with typed options, as a record. */
export function command<const T extends OptionTable>(
  { run, options, operands = [], ...rest }: Pick<CommandRecord, "name" | "about" | "examples"> & {
    readonly operands?: readonly OperandRecord[];
    readonly options: T;
    run(operands: readonly string[], options: Given<T>, terminal: Terminal): Promise<number>;
  },
): CommandRecord {
  return {
    ...rest,
    operands,
    options,
    // The program parses exactly the options of the table. TypeScript cannot infer that.
    run: (given, values, terminal) => run(given, values as unknown as Given<T>, terminal),
  };
}

/** The name of an option on the command line: `policy-report` for the key `policyReport`. */
export function longName(key: string, { long }: Pick<OptionRecord, "long">): string {
  return long ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
