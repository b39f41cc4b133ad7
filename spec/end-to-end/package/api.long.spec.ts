/** The public surface: what the entries of the package export, and that it is written down. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as headwater from '../../../src';
import * as components from '../../../src/components';
import * as operators from '../../../src/operators';
import * as testing from '../../../src/testing';
import { needsBuild } from '../../support/build';

// The compiler reads all of the project.

const ROOT = join(__dirname, '../../..');
const pageOf = (name: string): string => readFileSync(join(ROOT, 'docs/api', `${name}.md`), 'utf8');

describe('the public surface', () => {
  it('is as docs/api shows it, and coherent: else run `npm run api -- --write`, and look at what has changed', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/api-report.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it.each([
    ['headwater', headwater],
    ['headwater-components', components],
    ['headwater-operators', operators],
    ['headwater-testing', testing],
  ])('of %s has these values at run time, too', (name, exported) => {
    const values = [...pageOf(name).matchAll(/^export (?:const|function|class) ([\w$]+)/gm)].map(
      ([, value = '']) => value,
    );
    expect([...new Set(values)].sort()).toEqual(Object.keys(exported).sort());
  });
});

describe('a change of the public surface', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-api-'));
    for (const part of [
      'src',
      'scripts',
      'docs/api',
      'package.json',
      'tsconfig.json',
      'tsconfig.build.json',
      '.prettierrc.json',
    ])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    cpSync(needsBuild('written.d.ts'), join(folder, 'dist', 'written.d.ts'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));

  it('is refused with what has changed and what to do; so is what makes the surface wider than its names', () => {
    edit(
      'src/run/log/logger.ts',
      (text) => `${text}\ninterface Hidden {\n  readonly a: 1;\n}\nexport const shown: Hidden = { a: 1 };\n`,
    );
    edit('src/index.ts', (text) =>
      text.replace('export { createLogger }', "export * from './url/origin';\nexport { createLogger, shown }"),
    );
    edit('src/core/evidence.ts', (text) => text.replace('/** ', '/** {@link nowhere} '));
    edit('package.json', (text) =>
      text.replace('"./testing": {', '"./sinks/*": { "types": "./dist/sinks/*.d.ts" },\n"./testing": {'),
    );
    const { stderr, status } = spawnSync(process.execPath, ['scripts/api-report.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    for (const complaint of [
      'docs/api/headwater.md is not the public surface as it is. If the change is meant, run `npm run api -- --write`',
      '  + export const shown: Hidden;',
      'headwater: shown mentions Hidden of src/run/log/logger.ts, which no entry exports: export it, or do not mention it.',
      'src/index.ts: `export *` opens a whole module: name what is exported.',
      'package.json: exports["./sinks/*"] opens a whole folder: name what is exported.',
      '{@link nowhere} leads nowhere: import it, or write `it`.',
    ])
      expect(stderr).toContain(complaint);
  });
});
