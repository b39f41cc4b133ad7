import { Argument, Command, Option } from 'commander';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completedCommands } from '../../src/cli/completion-command';
import { program } from '../../src/cli/program';
import { runToEnd } from '../support/command';

const installed = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const skipped = (shell: string): string => (installed(shell) ? '' : ` (skipped: ${shell} is not installed)`);
const inShell = (shell: string) => (installed(shell) ? it : it.skip);

describe('headwater completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-completion-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => writeFileSync(join(folder, 'rivers of.json'), '{}'));

  const scriptFor = async (shell: string): Promise<string> => {
    const { status, stdout, stderr } = await runToEnd(['completion', shell]);
    expect([status, stderr]).toEqual([0, '']);
    const path = join(folder, `headwater.${shell}`);
    writeFileSync(path, stdout);
    execFileSync(shell, ['-n', path]);
    return path;
  };

  it.each(['bash', 'zsh', 'fish'])('has every subcommand, option and choice for %s', async (shell) => {
    const { stdout } = await runToEnd(['completion', shell]);
    const commands = program(() => undefined).commands.flatMap((each) => [each, ...each.commands]);
    const options = commands.flatMap((command) => command.options.filter(({ hidden }) => !hidden));
    const words = [
      ...commands.map((command) => command.name()),
      ...options.map(({ long }) => (shell === 'fish' ? `-l ${long?.slice(2)}` : `${long}`)),
      ...options.flatMap(({ argChoices = [] }) => argChoices),
    ];
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter((word) => !stdout.includes(word))).toEqual([]);
  });

  inShell('bash')(`completes in bash${skipped('bash')}`, async () => {
    const script = await scriptFor('bash');
    const proposed = (...words: readonly string[]): string[] => {
      const code = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _headwater; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const output = execFileSync('bash', ['-c', code, 'bash', script, 'headwater', ...words]).toString();
      return output.split('\n').filter((line) => line !== '');
    };
    expect(proposed('pl')).toEqual(['plan']);
    expect(proposed('run', '--re')).toEqual(['--resume', '--record', '--replay']);
    expect(proposed('run', 'a.json', '--nested', '')).toEqual(['tables', 'json', 'struct']);
    expect(proposed('run', '--nested', '=', 's')).toEqual(['struct']);
    expect(proposed('run', '--nested', '=')).toHaveLength(3);
    expect(proposed('describe', 'pagen')).toEqual(['pagenum']);
    expect(proposed('new', 'keyc')).toEqual(['keycloak']);
    expect(proposed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    // Nothing is proposed, so that bash proposes files.
    expect([proposed('run', ''), proposed('run', '--state', ''), proposed('nonsense', '')]).toEqual([[], [], []]);
  });

  inShell('fish')(`completes in fish${skipped('fish')}`, async () => {
    const script = await scriptFor('fish');
    const proposed = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line], {
        cwd: folder,
      })
        .toString()
        .split('\n')
        .map((each) => (each.split('\t')[0] ?? '').replaceAll('\\', ''))
        .filter((word) => word !== '');
    expect(proposed('headwater pla')).toEqual(['plan']);
    expect(proposed('headwater run --re').sort()).toEqual(['--record', '--replay', '--resume']);
    expect(proposed('headwater run --nested ').sort()).toEqual(['json', 'struct', 'tables']);
    expect(proposed('headwater describe pagen')).toEqual(['pagenum']);
    expect(proposed('headwater run riv')).toEqual(['rivers of.json']);
    expect(proposed('headwater run --state riv')).toEqual(['rivers of.json']);
  });

  inShell('zsh')(
    `completes in zsh${skipped('zsh')}`,
    async () => {
      const script = await scriptFor('zsh');
      const at = `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z "PS1=; autoload -U compinit; compinit -u -d $2/dump; source $1; bindkey '^I' list-choices; stty cols 200; print REA''DY"
zpty -r z line '*READY*'
zpty -n -w z "$3"$'\\t'
zpty -r z out "*$4*"; zpty -d z`;
      // What is proposed is waited for.
      const proposes = (line: string, word: string): void => {
        execFileSync('zsh', ['-f', '-c', at, 'zsh', script, folder, line, word], { cwd: folder, timeout: 15_000 });
      };
      proposes('headwater pla', 'plan  -- print');
      proposes('headwater run --re', '--resume*resume the interrupted run');
      proposes('headwater run --nested ', 'struct');
      proposes('headwater describe pagen', 'pagenum');
      proposes('headwater run --state riv', 'rivers*json');
    },
    60_000,
  );

  it('refuses other shells', async () => {
    const { status, stderr } = await runToEnd(['completion', 'tcsh']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
  });
});

describe('completedCommands', () => {
  it('reads subcommands, options, choices and files from the command line', () => {
    const command = new Command('tool').helpCommand(false);
    command
      .command('go')
      .alias('run')
      .description('goes')
      .argument('<file>')
      .option('-f, --far', 'far')
      .addOption(new Option('--how <how>', 'how').choices(['a', 'b']))
      .option('--out <folder>', 'out')
      .option('--name [name]', 'name');
    command.command('to').addArgument(new Argument('<place>').choices(['here', 'there']));
    command.command('named').argument('<name>');
    const [go, to, named] = completedCommands(command, { named: { words: ['x'], isFile: false } });
    expect(go).toEqual({
      names: ['go', 'run'],
      about: 'goes',
      values: { words: [], isFile: true },
      options: [
        { names: ['-f', '--far'], about: 'far' },
        { names: ['--how'], about: 'how', values: { words: ['a', 'b'], isFile: false } },
        { names: ['--out'], about: 'out', values: { words: [], isFile: true } },
        { names: ['--name'], about: 'name', values: { words: [], isFile: false } },
        { names: ['-h', '--help'], about: 'display help for command' },
      ],
    });
    expect(to?.values).toEqual({ words: ['here', 'there'], isFile: false });
    expect(named?.values).toEqual({ words: ['x'], isFile: false });
  });
});
