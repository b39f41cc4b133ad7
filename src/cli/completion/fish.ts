import type { CompletedCommand, Values } from './model';

/** For fish: `headwater completion fish > ~/.config/fish/completions/headwater.fish`. */
export const fishScript = (commands: readonly CompletedCommand[]): string =>
  [
    '# Completion of headwater for fish: headwater completion fish | source',
    'complete -c headwater -f',
    ...commands.flatMap(({ names, about }) =>
      names.map((name) => `complete -c headwater -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`),
    ),
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');

function linesOf({ names, options, values }: CompletedCommand): readonly string[] {
  const only = `complete -c headwater -n ${quoted(`__fish_seen_subcommand_from ${names.join(' ')}`)}`;
  const given = options.map(({ names: flags, about, values: taken }) => {
    const flag = flags.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
    return [only, ...flag, ...(taken === undefined ? [] : [taking(taken)]), `-d ${quoted(about)}`].join(' ');
  });
  const own = [values.isFile ? '-F' : '', values.words.length === 0 ? '' : `-a ${quoted(values.words.join(' '))}`];
  return own.every((part) => part === '') ? given : [...given, [only, ...own.filter((part) => part !== '')].join(' ')];
}

const taking = ({ words, isFile }: Values): string =>
  isFile ? '-r -F' : words.length === 0 ? '-x' : `-x -a ${quoted(words.join(' '))}`;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
