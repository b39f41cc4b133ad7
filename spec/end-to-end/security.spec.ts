/** docs/security.md names a spec for each defence, and each is there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#]*)(?:#[^)]*)?\)/g)].map(([, target = '']) => target).filter((target) => target !== '');

/** The rows of the tables of defences, without their heads. */
const defences = read('docs/security.md')
  .split(/^## /m)
  .filter((section) => /^\| defence/m.test(section))
  .flatMap((section) => section.split('\n').filter((line) => /^\| (?!defence|-)/.test(line)));

describe('docs/security.md', () => {
  it('has defences', () => expect(defences.length).toBeGreaterThan(20));

  it.each(defences)('%s', (row) => {
    const specs = linksIn(row).filter((target) => target.endsWith('.spec.ts'));
    expect(specs).not.toEqual([]);
    expect(specs.filter((target) => !existsSync(join(ROOT, 'docs', target)))).toEqual([]);
  });

  it.each(['docs/security.md', 'SECURITY.md', 'docs/reliability.md'])('%s links only to what exists', (path) => {
    expect(linksIn(read(path)).filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([]);
  });
});
