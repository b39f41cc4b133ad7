import type { CompletedCommand, Values } from './model';

/** For bash from 3.2 on, which macOS has. Where nothing is proposed, bash proposes files. */
export function bashScript(commands: readonly CompletedCommand[]): string {
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
${commands.map(branch).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _headwater headwater
`;
}

function branch({ names, options, values }: CompletedCommand): string {
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

/** A file that is meant comes by itself. */
const wordsOf = ({ words }: Values): string => (words.length === 0 ? 'return' : `words='${words.join(' ')}'`);
