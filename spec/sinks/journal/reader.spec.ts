import fc from 'fast-check';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScratchBuffer, partReader } from '../../../src/sinks/journal/reader';
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

describe('scratch', () => {
  it('gives room of the size that is asked for, in the same memory', () => {
    const room = createScratchBuffer();
    const first = room(1000);
    expect(first).toHaveLength(1000);
    expect(room(10)).toHaveLength(10);
    expect(room(10).buffer).toBe(first.buffer);
    expect(room(0)).toHaveLength(0);
  });

  it('grows, and does not keep what is very large', () => {
    const room = createScratchBuffer();
    const small = room(1000);
    expect(room(5000)).toHaveLength(5000);
    expect(room(1000).buffer).not.toBe(small.buffer);
    const kept = room(1000).buffer;
    expect(room(20 * 1024 * 1024)).toHaveLength(20 * 1024 * 1024);
    expect(room(1000).buffer).toBe(kept);
  });

  it('is one for each who asks', () => {
    expect(createScratchBuffer()(10).buffer).not.toBe(createScratchBuffer()(10).buffer);
  });
});
