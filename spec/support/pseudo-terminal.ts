import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Terminal } from '@xterm/headless';
import { closedInTheEnd } from './opened';

/** Whether this machine has `script` of util-linux, which gives a program a terminal. */
export const HAS_SCRIPT = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

export interface ScreenAt {
  readonly columns: number;
  readonly rows: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A program at a terminal, and what a person would see there. */
export interface AtTerminal {
  /** The lines of the screen, scrolled ones included, without blanks at their ends. */
  readonly lines: () => Promise<readonly string[]>;
  /** All that was written, as it was. */
  readonly written: () => string;
  /** Resolves when the lines fulfil a condition; fails when the program ends before. */
  readonly until: (isThere: (lines: readonly string[]) => boolean) => Promise<readonly string[]>;
  /** Types keys, for example Ctrl-C. */
  readonly type: (keys: string) => void;
  /** Makes the terminal wider or narrower, as a person does who draws at its window. */
  readonly resize: (columns: number, rows: number) => void;
  /** Sends the program a signal. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves to the exit status. */
  readonly ended: Promise<number | null>;
}

const shellQuoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs a command in a pseudo-terminal of this size. */
export function atTerminal(command: readonly string[], { columns, rows, env = {} }: ScreenAt): AtTerminal {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-terminal-'));
  const about = join(folder, 'about');
  closedInTheEnd(() => rmSync(folder, { recursive: true }));
  /** The number of the process, and the device of its terminal. */
  const known = (): readonly [pid: number, device: string] => {
    const [pid = '', device = ''] = readFileSync(about, 'utf8').trim().split(' ');
    return [Number(pid), device];
  };
  const line = `echo $$ $(tty) > ${shellQuoted(about)}; stty cols ${columns} rows ${rows}; exec ${command.map(shellQuoted).join(' ')}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    env: { ...process.env, CI: '', TERM: 'xterm', ...env },
  });
  closedInTheEnd(() => child.kill('SIGKILL'));
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  let written = '';
  const drawn = new Set<() => void>();
  child.stdout.on('data', (data: Buffer) => {
    written += data.toString();
    terminal.write(data, () => [...drawn].forEach((receive) => receive()));
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const shown = (): readonly string[] => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (__, at) => active.getLine(at)?.translateToString(true) ?? '');
    return all.slice(0, all.findLastIndex((text) => text !== '') + 1);
  };
  return {
    lines: () => new Promise((resolve) => terminal.write('', () => resolve(shown()))),
    written: () => written,
    until: (isThere) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!isThere(shown())) return;
          drawn.delete(look);
          resolve(shown());
        };
        drawn.add(look);
        look();
        void ended.then(() => terminal.write('', () => reject(new Error(`It ended before:\n${shown().join('\n')}`))));
      }),
    type: (keys) => child.stdin.write(keys),
    resize: (wide, high) => {
      terminal.resize(wide, high);
      const { status } = spawnSync('stty', ['-F', known()[1], 'cols', String(wide), 'rows', String(high)]);
      if (status !== 0) throw new Error('The terminal could not be resized.');
    },
    kill: (signal) => process.kill(known()[0], signal),
    ended,
  };
}
