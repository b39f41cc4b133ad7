import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { makeFolders } from '../../src/core/make-folders';

describe('makeFolders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-folders-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('makes all that are missing, and takes those that are there', async () => {
    const deep = join(folder, 'a', 'b', 'c');
    await makeFolders(deep);
    await makeFolders(deep);
    await makeFolders(join(deep, '..', 'd', ''));
    await makeFolders(parse(folder).root);
    expect(['a/b/c', 'a/b/d'].map((path) => existsSync(join(folder, path)))).toEqual([true, true]);
  });

  it('makes one of several at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, at) => makeFolders(join(folder, 'x', 'y', String(at % 3)))));
    expect([0, 1, 2].map((at) => existsSync(join(folder, 'x', 'y', String(at))))).toEqual([true, true, true]);
  });

  const itWithModes = process.platform === 'win32' ? it.skip : it;
  itWithModes('gives each that it makes the permissions, and leaves the others (Windows has none)', async () => {
    chmodSync(folder, 0o755);
    await makeFolders(join(folder, 'own', 'own'), 0o700);
    const modes = ['', 'own', 'own/own'].map((path) => statSync(join(folder, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o700, 0o700]);
  });

  it('fails below a file, and where a file has its name', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(makeFolders(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolders(join(file, 'a', 'b'))).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOTDIR|ENOENT)$/) as string,
    });
  });

  const itWithProc = process.platform === 'linux' ? it : it.skip;
  itWithProc.each(['/proc/headwater', '/proc/headwater/a/b'])('fails at %s (only Linux has it)', async (path) => {
    await expect(makeFolders(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
