import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { importFile } from '../../src/core/import-file';

describe('importFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater import #1 '));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('gives what a module exports, of either format, by any path', async () => {
    const path = written('one.mjs', 'export default 1;');
    expect(await importFile(path)).toMatchObject({ default: 1 });
    expect(await importFile(relative(process.cwd(), path))).toMatchObject({ default: 1 });
    expect(await importFile(written('two.cjs', 'module.exports = { two: 2 };'))).toMatchObject({ default: { two: 2 } });
  });

  it('fails as the module does', async () => {
    await expect(importFile(written('late.mjs', "throw new Error('too late');"))).rejects.toThrow('too late');
    await expect(importFile(join(folder, 'none.mjs'))).rejects.toThrow('none.mjs');
  });
});
