/** package.json names the entries that the build makes, and the sources have its version. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../src';
import { ROOT } from '../../support/build';

describe('package.json', () => {
  it('is as the list of entries says, and src/core/version.ts as package.json says: else run `npm run build`', () => {
    const script = `
      const { writtenTexts } = await import('./scripts/build/package-json.mjs');
      console.log(JSON.stringify([...writtenTexts(process.cwd())]));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const texts = JSON.parse(stdout) as readonly (readonly [string, string])[];
    expect(texts.map(([path]) => path)).toEqual(['package.json', 'src/core/version.ts']);
    for (const [path, text] of texts) expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it('has the version that requests name', () => {
    const { version: published } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(version).toBe(published);
  });
});
