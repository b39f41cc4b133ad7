/** What a shell can complete, read from the command line itself: so it never lags behind. */
import type { Argument, Command, Option } from 'commander';

/** What may stand somewhere. */
export interface Values {
  readonly words: readonly string[];
  readonly isFile: boolean;
}

export interface CompletedOption {
  /** With its dashes, `--to`. */
  readonly names: readonly string[];
  readonly about: string;
  /** Absent: it takes no value. */
  readonly values?: Values;
}

export interface CompletedCommand {
  readonly names: readonly string[];
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly values: Values;
}

/** Arguments and options of these names take files. */
const FILES: ReadonlySet<string> = new Set(['config', 'file', 'folder', 'source']);

/**
 * @param command the command line
 * @param namesOf words that may stand as arguments of a subcommand, such as names of parts
 */
export function completedCommands(
  command: Command,
  namesOf: Readonly<Record<string, Values>>,
): readonly CompletedCommand[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((each) => ({
    names: [each.name(), ...each.aliases()],
    about: each.description(),
    options: help.visibleOptions(each).map(optionOf),
    values: namesOf[each.name()] ?? argumentValues(each.registeredArguments),
  }));
}

function optionOf(option: Option): CompletedOption {
  const { short, long, description, required, optional, argChoices: choices } = option;
  const placeholder = /[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? '';
  return {
    names: [short, long].filter((name) => name !== undefined),
    about: description,
    ...(required || optional ? { values: { words: choices ?? [], isFile: FILES.has(placeholder) } } : {}),
  };
}

const argumentValues = (all: readonly Argument[]): Values => ({
  words: all.flatMap(({ argChoices }) => argChoices ?? []),
  isFile: all.some((argument) => FILES.has(argument.name())),
});
