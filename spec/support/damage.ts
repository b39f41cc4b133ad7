/** What becomes of files that somebody else lays hands on. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

const KINDS = [
  ...['flip', 'cut the end', 'cut the start', 'cut the middle', 'duplicate', 'zero', 'swap', 'insert', 'append'],
  ...['empty', 'remove', 'another file', 'one line less', 'lines swapped'],
] as const;

/** One change of one file; places are parts of its length, so that each fits any file. */
export interface Damage {
  readonly kind: (typeof KINDS)[number];
  /** Which of the files. */
  readonly file: number;
  /** From 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly byte: number;
}

const part = fc.double({ min: 0, max: 1, noNaN: true });

export const damages: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom(...KINDS),
  file: fc.nat(100),
  from: part,
  to: part,
  byte: fc.integer({ min: 1, max: 255 }),
});

/** Changes one of the files; tells which. Folders of theirs are left out. */
export async function damage(paths: readonly string[], change: Damage): Promise<string> {
  const path = paths[change.file % paths.length] ?? '';
  const bytes = await readFile(path);
  if (change.kind === 'remove') await rm(path);
  else if (change.kind === 'another file')
    await writeFile(path, await readFile(paths[(change.file + 1) % paths.length] ?? ''));
  else await writeFile(path, damaged(bytes, change));
  return path;
}

function damaged(bytes: Buffer, { kind, from, to, byte }: Damage): Buffer {
  const [begin, end] = [from, to].map((at) => Math.floor(at * bytes.length)).sort((a, b) => a - b) as [number, number];
  const [before, inner, after] = [bytes.subarray(0, begin), bytes.subarray(begin, end), bytes.subarray(end)];
  const half = Math.floor(inner.length / 2);
  const lines = bytes.toString('latin1').split(/(?<=\n)/);
  const line = Math.min(lines.length - 1, Math.floor(from * lines.length));
  switch (kind) {
    case 'flip':
      return Buffer.from(bytes.map((one, at) => (at === Math.min(begin, bytes.length - 1) ? one ^ byte : one)));
    case 'cut the start':
      return bytes.subarray(begin);
    case 'cut the middle':
      return Buffer.concat([before, after]);
    case 'duplicate':
      return Buffer.concat([before, inner, inner, after]);
    case 'zero':
      return Buffer.concat([before, Buffer.alloc(inner.length), after]);
    case 'swap':
      return Buffer.concat([before, inner.subarray(half), inner.subarray(0, half), after]);
    case 'insert':
      return Buffer.concat([before, Buffer.from([byte, 10]), inner, after]);
    case 'append':
      return Buffer.concat([bytes, inner, Buffer.from([byte])]);
    case 'one line less':
      return Buffer.from(lines.filter((_, at) => at !== line).join(''), 'latin1');
    case 'lines swapped':
      return Buffer.from([...lines.slice(line), ...lines.slice(0, line)].join(''), 'latin1');
    case 'empty':
      return Buffer.alloc(0);
    default:
      return bytes.subarray(0, begin);
  }
}

/** The files in these folders, which need not be there. */
export async function filesIn(...folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
    }),
  );
  return found.flat().sort();
}
