import type { CompletedCommand, CompletedOption, Values } from './model';

/** For zsh: as a file `_headwater` in a folder of `fpath`, or sourced after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.flatMap(({ names, about }) =>
    names.map((name) => `    ${quoted(`${name}:${about.replaceAll(':', '\\:')}`)}`),
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
${commands.map(branch).join('\n')}
  esac
}
if [ "$funcstack[1]" = _headwater ]; then _headwater "$@"; else compdef _headwater headwater; fi
`;
}

const branch = ({ names, options, values }: CompletedCommand): string =>
  [
    `    ${names.join('|')})`,
    '      _arguments \\',
    ...options.flatMap((option) => specsOf(option).map((spec) => `        ${quoted(spec)} \\`)),
    `        ${quoted(`*:argument:${actionOf(values)}`)} ;;`,
  ].join('\n');

/** An option may come again, as `--to` does. */
const specsOf = ({ names, about, values }: CompletedOption): readonly string[] =>
  names.map((name) => {
    const takes = values === undefined ? '' : `:value:${actionOf(values)}`;
    return `*${name}[${about.replace(/[[\]\\]/g, '\\$&')}]${takes}`;
  });

function actionOf({ words, isFile }: Values): string {
  if (words.length === 0) return isFile ? '_files' : ' ';
  return isFile ? `{_files; compadd -- ${words.join(' ')}}` : `(${words.join(' ')})`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
