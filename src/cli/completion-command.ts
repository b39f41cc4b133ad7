/** Shell completions, generated from the command line itself, so that they are never outdated. */
import type { Argument, Command, Option } from 'commander';
import { partsOf } from '..';
import { EXIT } from './exit-status';
import { catalogue } from './new-command';
import { print } from './output';

/** The possible values at a place. */
export interface Values {
  readonly words: readonly string[];
  readonly isFile: boolean;
}

export interface CompletedOption {
  /** The names with their dashes, `--to`. */
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

/** Arguments and options with these names are files. */
const FILES: ReadonlySet<string> = new Set(['config', 'file', 'folder', 'source']);

/**
 * @param command the command line
 * @param namesOf words that may be arguments of a subcommand, such as names of parts
 */
export function completedCommands(
  command: Command,
  namesOf: Readonly<Record<string, Values>>,
): readonly CompletedCommand[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((each) => {
    // The words of a command of commands are their names, and their options are its own.
    const options = [each, ...each.commands].flatMap((one) => help.visibleOptions(one).map(optionOf));
    const inner = each.commands.map((one) => one.name());
    return {
      names: [each.name(), ...each.aliases()],
      about: each.description(),
      options: [...new Map(options.map((option) => [option.names.join(), option])).values()],
      values:
        inner.length > 0
          ? { words: inner, isFile: false }
          : (namesOf[each.name()] ?? argumentValues(each.registeredArguments)),
    };
  });
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

/** Returns the script for bash from 3.2 on, the version of macOS. If nothing is proposed, bash proposes files. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.flatMap((each) => each.names);
  return `# Completion of headwater for bash: source <(headwater completion bash)
_headwater() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  # bash takes --option=value for three words.
  if [ "$current" = '=' ]; then current=''
  elif [ "$before" = '=' ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then words='${[...names, '--help', '--version'].join(' ')}'
  else
    case "\${COMP_WORDS[1]}" in
${commands.map(bashCase).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _headwater headwater
`;
}

function bashCase({ names, options, values }: CompletedCommand): string {
  const withValues = options.flatMap((option) =>
    option.values === undefined ? [] : [`          ${option.names.join('|')}) ${wordsOf(option.values)} ;;`],
  );
  return [
    `      ${names.join('|')})`,
    '        case "$before" in',
    ...withValues,
    '          *) case "$current" in',
    `            -*) words='${options.flatMap((option) => option.names).join(' ')}' ;;`,
    `            *) ${wordsOf(values)} ;;`,
    '          esac ;;',
    '        esac ;;',
  ].join('\n');
}

/** Returns the proposed words; files are proposed by the shell itself. */
const wordsOf = ({ words }: Values): string => (words.length === 0 ? 'return' : `words='${words.join(' ')}'`);

/** Returns the script for zsh: to be saved as `_headwater` in a folder of `fpath`, or sourced after `compinit`. */
function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.flatMap(({ names, about }) =>
    names.map((name) => `    ${quotedForZsh(`${name}:${about.replaceAll(':', '\\:')}`)}`),
  );
  return `#compdef headwater
# Completion of headwater for zsh: source <(headwater completion zsh)
_headwater() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[show what there is]' '--version[show the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${commands.map(zshCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = _headwater ]; then _headwater "$@"; else compdef _headwater headwater; fi
`;
}

const zshCase = ({ names, options, values }: CompletedCommand): string =>
  [
    `    ${names.join('|')})`,
    '      _arguments \\',
    ...options.flatMap((option) => specsOf(option).map((spec) => `        ${quotedForZsh(spec)} \\`)),
    `        ${quotedForZsh(`*:argument:${actionOf(values)}`)} ;;`,
  ].join('\n');

/** Returns the specifications of an option, which may be repeated, as `--to`. */
const specsOf = ({ names, about, values }: CompletedOption): readonly string[] =>
  names.map((name) => {
    const takes = values === undefined ? '' : `:value:${actionOf(values)}`;
    return `*${name}[${about.replace(/[[\]\\]/g, '\\$&')}]${takes}`;
  });

function actionOf({ words, isFile }: Values): string {
  if (words.length === 0) return isFile ? '_files' : ' ';
  return isFile ? `{_files; compadd -- ${words.join(' ')}}` : `(${words.join(' ')})`;
}

const quotedForZsh = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the script for fish: `headwater completion fish > ~/.config/fish/completions/headwater.fish`. */
const fishScript = (commands: readonly CompletedCommand[]): string =>
  [
    '# Completion of headwater for fish: headwater completion fish | source',
    'complete -c headwater -f',
    ...commands.flatMap(({ names, about }) =>
      names.map((name) => `complete -c headwater -n __fish_use_subcommand -a ${name} -d ${quotedForFish(about)}`),
    ),
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');

function linesOf({ names, options, values }: CompletedCommand): readonly string[] {
  const only = `complete -c headwater -n ${quotedForFish(`__fish_seen_subcommand_from ${names.join(' ')}`)}`;
  const given = options.map(({ names: flags, about, values: taken }) => {
    const flag = flags.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
    return [only, ...flag, ...(taken === undefined ? [] : [taking(taken)]), `-d ${quotedForFish(about)}`].join(' ');
  });
  const own = [
    values.isFile ? '-F' : '',
    values.words.length === 0 ? '' : `-a ${quotedForFish(values.words.join(' '))}`,
  ];
  return own.every((part) => part === '') ? given : [...given, [only, ...own.filter((part) => part !== '')].join(' ')];
}

const taking = ({ words, isFile }: Values): string =>
  isFile ? '-r -F' : words.length === 0 ? '-x' : `-x -a ${quotedForFish(words.join(' '))}`;

const quotedForFish = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * `headwater completion SHELL`: prints a script that completes subcommands, options, their values, names and files.
 *
 * @param command the command line from which the script is made
 * @returns the exit status
 */
export function completionCommand(shell: Shell, command: Command): number {
  const parts = [...new Set(partsOf().map(({ name }) => name))].filter((name) => WORD.test(name));
  const commands = completedCommands(command, {
    explain: { words: parts, isFile: true },
    new: { words: catalogue(), isFile: false },
  });
  print(SCRIPTS[shell](commands));
  return EXIT.success;
}

/** Matches a word that a shell does not change. */
const WORD = /^[\w.-]+$/;
