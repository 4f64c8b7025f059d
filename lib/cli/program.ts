import { Command, type Help, InvalidArgumentError, Option } from "commander";
import { type CommandRecord, longName, type OptionRecord, type OptionTable } from "./command.ts";
import { commands, groups, hiddenCommands } from "./commands/table.ts";
import { normalizeArguments, splitList } from "./flag_syntax.ts";
import { logOptions, needlessKubeconfig } from "./log_options.ts";
import { OutputClosed, processTerminal, type Terminal } from "./terminal.ts";
import { version } from "./version.ts";

/** Runs a command line and returns its exit code: that of the command, or 2 for an invalid command line. */
export async function run(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code = 0;
  const program = new CommandParser("postern")
    .description("A small gate for a Kubernetes cluster: Kyverno's policies, one process")
    .version(version, "--version", "print the version")
    .exitOverride()
    .showHelpAfterError("--help lists commands and options.")
    .configureHelp({ visibleOptions: withoutNegations })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  for (const [key, option] of Object.entries(logOptions)) addOption(program, key, option);
  for (const record of commandsFor(args)) {
    const added = addCommand(program, record, async (operands, options) => {
      const refused = refuseUnsupported(record.options, options, terminal) ??
        refuseUnsupported(logOptions, program.opts(), terminal);
      code = refused ?? await record.run(operands, options, terminal);
    });
    // An unsupported command gives the same message for all options.
    if (hiddenCommands.includes(record)) added.allowUnknownOption();
  }
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : args.map(standardInputPath), { from: "user" });
  } catch (cause) {
    return codeOf(cause, terminal);
  }
  return code;
}

/** An argument with `-` for the paths of standard input: Deno opens them only for a program that may do everything. */
function standardInputPath(argument: string): string {
  const flag = /^-[\w-]*=/.exec(argument)?.[0] ?? "";
  const paths = argument.slice(flag.length).split(",").map((path) =>
    ["/dev/stdin", "/dev/fd/0"].includes(path) ? "-" : path
  );
  return flag + paths.join(",");
}

/** Commander, extended by flags in the syntax of Kyverno's command line: `--flag=true`, `-f=value`. */
class CommandParser extends Command {
  override createCommand(name?: string): Command {
    return new CommandParser(name);
  }

  override parseOptions(args: string[]): ReturnType<Command["parseOptions"]> {
    const normal = normalizeArguments(args, this.options, (flag, value) =>
      this.error(
        `error: option '${flag}' argument '${value}' is invalid. Allowed choices are true, false.`,
      ));
    return super.parseOptions(normal);
  }
}

function addCommand(
  program: Command,
  record: CommandRecord,
  action: (operands: readonly string[], options: Record<string, unknown>) => Promise<void>,
): Command {
  const names = record.name.split(" ");
  const parent = names.length === 1 ? program : groupOf(program, names[0]!);
  const isHidden = hiddenCommands.includes(record);
  const added = parent.command(names.at(-1)!, { hidden: isHidden }).description(record.about)
    .copyInheritedSettings(program);
  for (const { form, about } of record.operands) added.argument(form, about);
  for (const [key, option] of Object.entries(record.options)) addOption(added, key, option);
  const lines = record.examples.map(({ does, line }) => `  # ${does}\n  postern ${line}`);
  added.addHelpText("after", `\nExamples:\n${lines.join("\n\n")}`);
  added.action(async (...given: unknown[]) => {
    const operands = given.slice(0, record.operands.length).flat().filter((text) => typeof text === "string");
    await action(operands, added.opts());
  });
  return added;
}

/**
 * The commands to declare to commander: the one that the line names, or else all, for the help and for the suggestions
 * in errors. To declare all of them always would take a twentieth of the start time of a server.
 */
function commandsFor(args: readonly string[]): readonly CommandRecord[] {
  const all = [...commands.map(withKubeconfig), ...hiddenCommands];
  const named = all.find(({ name }) => name.split(" ").every((word, index) => args[index] === word));
  return named === undefined ? all : [named];
}

/** Adds `--kubeconfig` to a command without it, so that the error says that the command reads no cluster. */
function withKubeconfig(record: CommandRecord): CommandRecord {
  return { ...record, options: { kubeconfig: needlessKubeconfig, ...record.options } };
}

function groupOf(program: Command, name: string): Command {
  const group = program.commands.find((command) => command.name() === name);
  if (group !== undefined) return group;
  const isHidden = commands.every((each) => !each.name.startsWith(`${name} `));
  return program.command(name, { hidden: isHidden }).description(groups[name] ?? "")
    .copyInheritedSettings(program);
}

function addOption(command: Command, key: string, option: OptionRecord): void {
  const long = longName(key, option);
  const about = "required" in option ? `${option.about} (required)` : option.about;
  const names = option.short === undefined ? `--${long}` : `-${option.short}, --${long}`;
  const add = (made: Option): void => void command.addOption(option.hidden === true ? made.hideHelp() : made);
  switch (option.type) {
    case "flag": {
      const on = option.default === true;
      const yes = new Option(names, option.about).default(on);
      const no = new Option(`--no-${long}`, option.about);
      command.addOption(on || option.hidden === true ? yes.hideHelp() : yes);
      command.addOption(on ? no : no.hideHelp());
      return;
    }
    case "text": {
      const made = new Option(`${names} <${option.value}>`, about);
      if (option.choices !== undefined) made.choices(option.choices);
      if (option.default !== undefined) made.default(option.default);
      return add(option.required === true ? made.makeOptionMandatory() : made);
    }
    case "number":
      return add(
        new Option(`${names} <${option.value}>`, option.about).argParser(wholeNumber).default(option.default),
      );
    case "list":
    case "texts":
      return add(listOption(`${names} <${option.value}>`, { ...option, about }));
    case "unsupported": {
      const value = option.value === undefined ? "" : ` <${option.value}>`;
      command.addOption(new Option(`${names}${value}`, option.about).hideHelp());
      return;
    }
  }
}

/** Makes an option that may be repeated. Given values replace the default. */
function listOption(flags: string, option: Extract<OptionRecord, { type: "list" | "texts" }>): Option {
  const given: string[] = [];
  const made = new Option(flags, option.about).argParser((text: string) => {
    given.push(...(option.type === "list" ? splitList(text) : [text]));
    return given;
  });
  const initial = option.type === "list" ? option.default : [];
  if (option.type === "list" && option.required === true) return made.makeOptionMandatory();
  return made.default(initial ?? [], initial === undefined || initial.length === 0 ? "" : initial.join(","));
}

/** Reports unsupported options and what to use instead, and returns exit code 2; `undefined` when there are none. */
function refuseUnsupported(
  table: OptionTable,
  given: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): number | undefined {
  const refused = Object.entries(table).flatMap(([key, option]) =>
    option.type === "unsupported" && given[key] !== undefined
      ? [`error: not supported: --${longName(key, option)}; ${option.instead}`]
      : []
  );
  for (const line of refused) terminal.err(line);
  return refused.length === 0 ? undefined : 2;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Leaves hidden options, empty defaults and defaults of false out of commander's help. */
function withoutNegations(this: Help, command: Command): Option[] {
  const shown = command.options.filter((option) => !option.hidden);
  for (const option of shown) {
    if (option.defaultValueDescription === "" || option.defaultValue === false) {
      option.defaultValue = undefined;
    }
  }
  return [...shown, new Option("-h, --help", "print this help")];
}

/** The exit code of a command that ended early. It prints nothing when the reader of a pipe has ended. */
function codeOf(cause: unknown, terminal: Terminal): number {
  if (isExit(cause)) return cause.exitCode === 0 ? 0 : 2;
  if (cause instanceof OutputClosed && cause.isPipe) return pipeClosedCode;
  const message = cause instanceof Error ? cause.message : String(cause);
  try {
    if (cause instanceof OutputClosed) terminal.err(`error: ${message}`);
    else terminal.err(`error: internal error: ${message}; this is a defect of Postern, please report it`);
  } catch {
    // Standard error is closed too; only the exit code reports the failure.
  }
  return 2;
}

/** The exit code of shells for a command that SIGPIPE ends. */
const pipeClosedCode = 141;

/** Whether commander threw the error: it does for an invalid command line, and for `--help`. */
function isExit(cause: unknown): cause is { exitCode: number } {
  return cause instanceof Error && "exitCode" in cause && typeof cause.exitCode === "number";
}
