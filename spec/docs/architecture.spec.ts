/** What contributors read names files and folders as they are, and docs/architecture.md stays two screens long. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/build';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const ARCHITECTURE = 'docs/architecture.md';
const DECISIONS = readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`);

/** The code spans that begin like a path of this project. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|spec|scripts)\/[^`\n]*)`/g)].map(([, path = '']) => path);

const section = (text: string, heading: string): string =>
  text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';

describe('paths', () => {
  const missing = (text: string): readonly string[] => pathsIn(text).filter((path) => !existsSync(join(ROOT, path)));

  it.each([ARCHITECTURE, ...DECISIONS, 'docs/mutation.md', 'docs/performance.md', 'CONTRIBUTING.md'])(
    '%s: every file and folder that it names is there',
    (page) => {
      expect(missing(read(page))).toEqual([]);
    },
  );

  it('that lead nowhere are noticed', () => {
    expect(missing('`src/index.ts`, `src/sources/turn.ts` and `spec/docs/`')).toEqual(['src/sources/turn.ts']);
  });

  it('are many', () => {
    expect(pathsIn(read(ARCHITECTURE)).length).toBeGreaterThan(40);
    expect(DECISIONS.flatMap((page) => pathsIn(read(page))).length).toBeGreaterThan(60);
  });
});

describe('the files of spec', () => {
  it('that jest does not find by their names have no specs', () => {
    const names = readdirSync(join(ROOT, 'spec'), { recursive: true, encoding: 'utf8' });
    const unseen = names.filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !/\.(spec|fixture)\.ts$/.test(name));
    expect(unseen.length).toBeGreaterThan(50);
    expect(unseen.filter((name) => /^(describe|it|test)\b.*\(/m.test(read(join('spec', name))))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const text = read(ARCHITECTURE);
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  it('has at most 110 lines, of at most 140 characters each', () => {
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(110);
    expect(lines.filter((line) => line.length > 140)).toEqual([]);
  });

  it('has a row for each folder of src, and for no other', () => {
    const rows = [...section(text, 'The folders of src').matchAll(/^\| `([\w-]+)\/`/gm)].map(([, name = '']) => name);
    expect([...rows].sort()).toEqual([...folders].sort());
  });

  it('shows the order of folders that npm run layers checks', () => {
    const order = [
      ...(/^const ORDER = \[(.*?)^\];/ms.exec(read('.dependency-cruiser.cjs'))?.[1] ?? '').matchAll(/'(\w+)'/g),
    ];
    const shown = /^ {4}(core → .*)$/m.exec(section(text, 'Who may import whom'))?.[1] ?? '';
    expect(shown.split(/ → |, /).filter((name) => name !== 'entries')).toEqual(order.map(([, name]) => name));
  });

  it('names each page of decisions', () => {
    expect(DECISIONS.filter((page) => !text.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });
});
