/** docs/reliability.md says what the tables say. `npm run docs:reliability` writes it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MATRIX } from './matrix';
import { reliabilityPage } from './page';

const ROOT = join(__dirname, '../../..');
const PAGE = join(ROOT, 'docs/reliability.md');
const PRETTIER = join(ROOT, 'node_modules/prettier/bin/prettier.cjs');
const formatted = (text: string): string =>
  execFileSync(process.execPath, [PRETTIER, '--stdin-filepath', PAGE], { input: text, encoding: 'utf8', cwd: ROOT });

describe('docs/reliability.md', () => {
  it('is what the tables make of it', () => {
    const page = formatted(reliabilityPage());
    if (process.env['HEADWATER_WRITE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });

  it('knows each fault by one name', () => {
    const names = MATRIX.flatMap(({ title, faults }) => faults.map(({ does }) => `${title}: ${does}`));
    expect(names).toEqual([...new Set(names)]);
  });

  it('every group of faults has specs', () => {
    const specs = readdirSync(__dirname);
    expect(
      MATRIX.map(({ title }) => `${title.toLowerCase()}.long.spec.ts`).filter((name) => !specs.includes(name)),
    ).toEqual([]);
  });
});
