import { type CommandRecord, longName, type OptionRecord } from "./command.ts";
import { type Terminal, unusable } from "./terminal.ts";

/**
 * A command for completion: the words that a shell offers after it, which are its options, the choices of their values,
 * and those of its operands.
 */
interface Completed {
  readonly name: string;
  readonly about: string;
  /** The choices of its operands; without any a shell offers files. */
  readonly operands: readonly string[];
  readonly options: readonly {
    readonly flag: string;
    readonly about: string;
    readonly choices: readonly string[];
  }[];
}

/** Makes the script of a shell; `aboutGroups` has the help texts of groups of commands. */
type Script = (completed: readonly Completed[], aboutGroups: Readonly<Record<string, string>>) => string;

const scripts: Readonly<Record<string, Script>> = {
  bash,
  zsh,
  fish,
  powershell,
};

/** The shells that have a completion. */
export const shells: readonly string[] = Object.keys(scripts);

/** `completion SHELL`: makes a completion script from the table of commands and prints it. */
export async function printCompletion(
  shell: string,
  { commands, groups }: {
    readonly commands: readonly CommandRecord[];
    readonly groups: Readonly<Record<string, string>>;
  },
  terminal: Terminal,
): Promise<number> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) {
    return unusable(`there is no completion for "${shell}"; there are ${shells.join(", ")}`, terminal);
  }
  terminal.out(script(await Promise.all(commands.map(completedOf)), groups).trimEnd());
  return 0;
}

async function completedOf({ name, about, operands, options }: CommandRecord): Promise<Completed> {
  const shown = Object.entries(options).filter(([, option]) =>
    option.hidden !== true && option.type !== "unsupported"
  );
  return {
    name,
    about,
    operands: (await Promise.all(operands.map((each) => each.choices?.() ?? []))).flat(),
    options: shown.map(([key, option]) => ({
      flag: option.type === "flag" && option.default === true
        ? `--no-${longName(key, option)}`
        : `--${longName(key, option)}`,
      about: option.about,
      choices: choicesOf(option),
    })),
  };
}

function choicesOf(option: OptionRecord): readonly string[] {
  return option.type === "text" ? option.choices ?? [] : [];
}

/** First words, and the second words of groups. */
function words(completed: readonly Completed[]): { first: string[]; groups: Map<string, string[]> } {
  const groups = new Map<string, string[]>();
  for (const { name } of completed) {
    const [first = "", second] = name.split(" ");
    groups.set(first, [...groups.get(first) ?? [], ...(second === undefined ? [] : [second])]);
  }
  return { first: [...groups.keys()], groups };
}

function bash(completed: readonly Completed[]): string {
  const { first, groups } = words(completed);
  const cases = completed.map(({ name, options, operands }) =>
    `    ${quoted(name)}) options=${quoted(flags(options))} operands=${quoted(operands.join(" "))} ;;`
  );
  const choices = completed.flatMap(({ name, options }) =>
    options.filter((option) => option.choices.length > 0).map(({ flag, choices }) =>
      `    ${quoted(`${name} ${flag}`)}) COMPREPLY=($(compgen -W ${
        quoted(choices.join(" "))
      } -- "$word")); return ;;`
    )
  );
  const grouped = [...groups].filter(([, second]) => second.length > 0).map(([name, second]) =>
    `    ${name}) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W ${
      quoted(second.join(" "))
    } -- "$word")); return; fi; command="${name} \${COMP_WORDS[2]}" ;;`
  );
  return `# bash completion for postern
_postern() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  local options="" operands=""
  # The shell makes three words of --option=value.
  if [ "$word" = = ]; then word=""; elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W ${quoted(first.join(" "))} -- "$word")); return; fi
  case "$command" in
${grouped.join("\n")}
  esac
  case "$command $before" in
${choices.join("\n")}
  esac
  case "$command" in
${cases.join("\n")}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  elif [ -n "$operands" ]; then COMPREPLY=($(compgen -W "$operands" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _postern postern
`;
}

function zsh(completed: readonly Completed[]): string {
  return `#compdef postern
# zsh completion for postern, by the rules of bash
autoload -U +X bashcompinit && bashcompinit
${bash(completed)}`;
}

function fish(completed: readonly Completed[], aboutGroups: Readonly<Record<string, string>>): string {
  const { groups } = words(completed);
  const about = new Map([
    ...Object.entries(aboutGroups),
    ...completed.map((each) => [each.name, each.about] as const),
  ]);
  const lines = [...groups].flatMap(([name, second]) => [
    `complete -c postern -n __fish_use_subcommand -f -a ${name} -d ${quoted(about.get(name) ?? "")}`,
    ...second.map((word) =>
      `complete -c postern -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${
        second.join(" ")
      }' -f -a ${word} -d ${quoted(about.get(`${name} ${word}`) ?? "")}`
    ),
  ]);
  for (const { name, operands, options } of completed) {
    const seen = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    if (operands.length > 0) {
      lines.push(`complete -c postern -n '${seen}' -f -a ${quoted(operands.join(" "))}`);
    }
    for (const { flag, about, choices } of options) {
      const values = choices.length === 0 ? "" : ` -x -a ${quoted(choices.join(" "))}`;
      lines.push(`complete -c postern -n '${seen}' -l ${flag.slice(2)} -d ${quoted(about)}${values}`);
    }
  }
  return `# fish completion for postern\n${lines.join("\n")}\n`;
}

function powershell(completed: readonly Completed[]): string {
  const { first, groups } = words(completed);
  const list = (texts: readonly string[]): string =>
    `@(${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(", ")})`;
  const table = [
    `  '' = ${list(first)}`,
    ...[...groups].filter(([, second]) => second.length > 0).map(([name, second]) =>
      `  '${name}' = ${list(second)}`
    ),
    ...completed.map(({ name, operands, options }) =>
      `  '${name}' = ${list([...operands, ...options.map(({ flag }) => flag), "--help"])}`
    ),
  ];
  return `# PowerShell completion for postern
$posternWords = @{
${table.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName postern -ScriptBlock {
  param($word, $tree, $position)
  $given = @($tree.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -notlike '-*' -and $_ -ne $word })
  $keys = @(("$($given[0]) $($given[1])").Trim(), "$($given[0])", '')
  foreach ($key in $keys) {
    if ($posternWords.ContainsKey($key)) {
      $posternWords[$key] | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
      return
    }
  }
}
`;
}

function flags(options: Completed["options"]): string {
  return options.map(({ flag }) => flag).join(" ");
}

/** The text in single quotes for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
