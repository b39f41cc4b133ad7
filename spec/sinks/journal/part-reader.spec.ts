import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { partReader } from '../../../src/sinks/journal/part-reader';
import { runsOf } from '../../support/cases';

const LENGTH = 2_500_000;

describe('partReader', () => {
  let folder: string;
  const files: { readonly path: string; readonly handle: FileHandle; readonly bytes: Buffer }[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    for (const seed of [1, 2]) {
      const path = join(folder, `${seed}.data`);
      const bytes = Buffer.from(Uint8Array.from({ length: LENGTH }, (_, at) => (at * seed * 31 + (at >> 8)) & 0xff));
      await writeFile(path, bytes);
      files.push({ path, handle: await open(path, 'r'), bytes });
    }
  });
  afterAll(async () => {
    for (const { handle } of files) await handle.close();
    await rm(folder, { recursive: true });
  });

  it('gives the bytes of every part, in any order, of any files', async () => {
    const part = fc.record({
      file: fc.integer({ min: 0, max: 1 }),
      jump: fc.option(fc.integer({ min: 0, max: LENGTH })),
      length: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 1_200_000 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (parts) => {
        const read = partReader();
        const ends = [0, 0];
        for (const { file, jump, length } of parts) {
          const { handle, path, bytes } = files[file] as (typeof files)[number];
          const offset = jump ?? (ends[file] as number);
          const fits = Math.min(length, LENGTH - offset);
          ends[file] = offset + fits;
          const found = Buffer.from(await read({ handle, path, offset, length: fits }));
          expect(found.equals(bytes.subarray(offset, offset + fits))).toBe(true);
        }
      }),
      { numRuns: runsOf(60) },
    );
  });

  it('reads parts that follow each other several at once', async () => {
    const { handle, path } = files[0] as (typeof files)[number];
    const reading = jest.spyOn(handle, 'read');
    const read = partReader();
    for (let offset = 0; offset < 1_000_000; offset += 1000) await read({ handle, path, offset, length: 1000 });
    expect(reading).toHaveBeenCalledTimes(2);
    reading.mockRestore();
  });

  it('refuses a file that is shorter than it was', async () => {
    const { handle, path } = files[0] as (typeof files)[number];
    const read = partReader();
    await read({ handle, path, offset: LENGTH - 10, length: 10 });
    await expect(read({ handle, path, offset: LENGTH - 10, length: 11 })).rejects.toMatchObject({
      code: 'DESTINATION_DAMAGED',
    });
  });
});
