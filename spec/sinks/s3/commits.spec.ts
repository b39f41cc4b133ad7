/** Commits that end half-way (docs/sinks.md#buckets), against the server of scripts/services.sh. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBucket } from '../../../src/sinks/s3/client';
import type { OpenBucket } from '../../../src/sinks/s3/client';
import { BucketCommits } from '../../../src/sinks/s3/commits';
import { BUCKET, describeWithS3, keysIn, NEEDS_S3, removeKey, textOf, useS3 } from '../../support/s3';

describeWithS3(`commits in a bucket${NEEDS_S3}`, () => {
  let folder: string;
  let prefix: string;
  let bucket: OpenBucket;
  const open = (limits?: { COPIED_AT_ONCE: number; PART: number }): OpenBucket =>
    openBucket({ name: 'ndjson:s3://x', format: 'ndjson', bucket: BUCKET, prefix: `${prefix}/` }, limits);
  beforeEach(() => {
    useS3();
    folder = mkdtempSync(join(tmpdir(), 'headwater-s3-'));
    prefix = `spec-${randomUUID()}`;
    bucket = open();
  });
  afterEach(() => {
    bucket.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const commitsOn = (machine: string): BucketCommits =>
    new BucketCommits(
      bucket,
      { name: 'ndjson:s3://x', format: 'ndjson', bucket: BUCKET, prefix },
      join(folder, machine),
    );
  const stage = (commits: BucketCommits, file: string, text: string): void => {
    mkdirSync(commits.staging, { recursive: true });
    writeFileSync(join(commits.staging, file), text);
  };
  const receiptOf = (run: string) => ({ receipt: { run, state: { at: run } }, removed: [], run: { run_id: run } });
  const staged = async (): Promise<readonly string[]> =>
    (await keysIn(prefix)).filter((key) => key.startsWith('.headwater/ndjson/staging/'));

  it('are finished by any machine once they are decided, as often as it tries, and by several at once', async () => {
    const dying = commitsOn('a');
    await dying.settle();
    stage(dying, 'x.ndjson', '1');
    stage(dying, 'ü %2F.ndjson', '2');
    await dying.decide(receiptOf('r1'));
    expect(await keysIn(prefix)).not.toContain('x.ndjson');
    const found = await Promise.all(['b', 'c', 'd'].map((machine) => commitsOn(machine).settle()));
    expect(found.map((record) => [record?.at, record?.receipt])).toEqual(
      Array.from({ length: 3 }, () => ['done', { run: 'r1', state: { at: 'r1' } }]),
    );
    expect([await textOf(prefix, 'x.ndjson'), await textOf(prefix, 'ü %2F.ndjson')]).toEqual(['1', '2']);
    expect(await staged()).toEqual([]);
    expect([await dying.recordOf('r1'), await dying.recordOf('r2')]).toEqual([{ run_id: 'r1' }, undefined]);
  });

  it('count for nothing before they are decided, and what they have uploaded goes with the next one', async () => {
    const [dying, other] = [commitsOn('a'), commitsOn('b')];
    await dying.settle();
    await other.settle();
    stage(dying, 'x.ndjson', '1');
    await bucket.upload(join(dying.staging, 'x.ndjson'), '.headwater/ndjson/staging/0/dead/x.ndjson');
    stage(other, 'x.ndjson', '2');
    await other.decide(receiptOf('r2'));
    await other.settle();
    expect(await textOf(prefix, 'x.ndjson')).toBe('2');
    expect(await staged()).toEqual([]);
    await expect(dying.decide(receiptOf('r1'))).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    expect((await commitsOn('c').settle())?.receipt.run).toBe('r2');
  });

  it('are damaged when somebody removes what they have uploaded', async () => {
    const dying = commitsOn('a');
    await dying.settle();
    stage(dying, 'x.ndjson', '1');
    await dying.decide(receiptOf('r1'));
    for (const key of await staged()) await removeKey(prefix, key);
    await expect(commitsOn('b').settle()).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
  });

  it('know a server that has no conditional writes', async () => {
    await expect(commitsOn('a').check()).resolves.toBeUndefined();
    await expect(commitsOn('a').check()).resolves.toBeUndefined();
    const address = { name: 'ndjson:s3://x', format: 'ndjson', bucket: BUCKET, prefix };
    // There are no such servers here: one takes every write, the other one each that is for another version.
    for (const [header, isLax] of [
      ['If-None-Match', () => true],
      ['If-Match', (condition: unknown) => condition !== 'absent'],
    ] as const) {
      const put: typeof bucket.put = (key, text, condition) =>
        isLax(condition) ? Promise.resolve(true) : bucket.put(key, text, condition);
      await expect(new BucketCommits({ ...bucket, put }, address, folder).check()).rejects.toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringContaining(`ignores the header ${header},`) as string,
      });
    }
  });

  it('take files of any size: uploaded in parts, copied in parts, empty', async () => {
    const large = open({ COPIED_AT_ONCE: 1024 ** 2, PART: 5 * 1024 ** 2 });
    const path = join(folder, 'large');
    writeFileSync(path, randomBytes(17 * 1024 ** 2 + 1));
    await large.upload(path, 'staged');
    expect(await large.copy('staged', 'copied')).toBe(true);
    await large.download('copied', join(folder, 'back'));
    expect(readFileSync(join(folder, 'back')).equals(readFileSync(path))).toBe(true);
    writeFileSync(path, '');
    await large.upload(path, 'empty');
    expect(await large.copy('empty', 'emptied')).toBe(true);
    expect(await textOf(prefix, 'emptied')).toBe('');
    expect(await large.copy('nothing', 'x')).toBe(false);
    large.close();
  });
});
