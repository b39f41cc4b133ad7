import type { Command } from 'commander';
import { partsOf } from '..';
import { bashScript } from './completion/bash';
import { fishScript } from './completion/fish';
import { completedCommands } from './completion/model';
import type { CompletedCommand } from './completion/model';
import { zshScript } from './completion/zsh';
import { EXIT } from './exit-status';
import { catalogue } from './new-command';
import { print } from './print';

export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * `headwater completion SHELL`: a script that completes subcommands, options, their values, names and files, on standard output.
 *
 * @param command the command line, which it is made of
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

/** What no shell looks at. */
const WORD = /^[\w.-]+$/;
