import { gzipSync } from 'node:zlib';
import { gunzipAll, gunzipAllLater, gunzipEach } from '../../../src/http/body/content-coding';
import { ALL_CASES } from '../../support/cases';

const LIMIT = 2 ** 20;
const long = Array.from({ length: ALL_CASES ? 5_000 : 2_000 }, (_, at) => `{"id":${at}}\n`).join('');
const member = (text: string): Buffer => gzipSync(text);
const zeros = (count: number): Buffer => Buffer.alloc(count);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}
async function streamed(bytes: Buffer, size: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of gunzipEach(inPieces(bytes, size))) parts.push(part);
  return Buffer.concat(parts).toString();
}
const SIZES = [1, 7, 512, LIMIT];

describe('members of a gzip file', () => {
  it.each<[string, Buffer, string]>([
    ['one', member(long), long],
    ['an empty one', member(''), ''],
    ['two', Buffer.concat([member(long), member('b')]), `${long}b`],
    ['two with zeros between them', Buffer.concat([member('a'), zeros(10), member(long)]), `a${long}`],
    [
      'three with zeros between and behind',
      Buffer.concat([...['a', 'b', 'c'].flatMap((text) => [member(text), zeros(600)])]),
      'abc',
    ],
  ])('%s', async (_, bytes, text) => {
    expect(Buffer.from(gunzipAll(bytes, LIMIT)).toString()).toBe(text);
    expect(Buffer.from(await gunzipAllLater(bytes, LIMIT)).toString()).toBe(text);
    for (const size of SIZES) expect(await streamed(bytes, size)).toBe(text);
  });

  it.each<[string, Buffer]>([
    ['other bytes behind a member', Buffer.concat([member('a'), Buffer.from('garbage')])],
    ['other bytes behind zeros', Buffer.concat([member('a'), zeros(3), Buffer.from('garbage')])],
    ['a member that ends too early', member(long).subarray(0, -9)],
    ['a second one that ends too early', Buffer.concat([member('a'), zeros(3), member(long).subarray(0, 40)])],
    ['zeros alone', zeros(20)],
  ])('%s: an error', async (_, bytes) => {
    expect(() => gunzipAll(bytes, LIMIT)).toThrow();
    await expect(gunzipAllLater(bytes, LIMIT)).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) as string });
    for (const size of SIZES)
      await expect(streamed(bytes, size)).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) as string });
  });

  it('together they may not be longer than the limit', () => {
    const bytes = Buffer.concat([member('12345'), zeros(1), member('67890')]);
    expect(gunzipAll(bytes, 10)).toHaveLength(10);
    expect(() => gunzipAll(bytes, 9)).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) as Error);
  });

  it('whoever leaves before the end closes the source', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield await Promise.resolve(member(long));
      } finally {
        isClosed = true;
      }
    }
    for await (const part of gunzipEach(endless())) if (part.length > 0) break;
    expect(isClosed).toBe(true);
  });
});
