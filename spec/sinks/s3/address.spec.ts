import { join } from 'node:path';
import { filePlace } from '../../../src/sinks/s3/address';
import { runToEnd } from '../../support/command';

describe('filePlace', () => {
  it('leaves folders as they are', () => {
    expect(filePlace('csv', 'out')).toEqual({ folder: 'out' });
    expect(filePlace('csv', 's3')).toEqual({ folder: 's3' });
  });

  it.each([
    ['s3://lake', { name: 'ndjson:s3://lake', bucket: 'lake', prefix: '' }],
    ['s3://lake/', { name: 'ndjson:s3://lake', bucket: 'lake', prefix: '' }],
    ['s3://my-lake.eu/crm/raw/', { name: 'ndjson:s3://my-lake.eu/crm/raw', bucket: 'my-lake.eu', prefix: 'crm/raw/' }],
  ])('reads %s', (address, expected) => {
    expect(filePlace('ndjson', address).bucket).toEqual({ format: 'ndjson', ...expected });
  });

  it('has a folder of this machine for each destination', () => {
    const folders = [
      filePlace('ndjson', 's3://lake/a'),
      filePlace('csv', 's3://lake/a'),
      filePlace('csv', 's3://lake/b'),
      filePlace('csv', 's3://lake/b', 'work'),
    ].map(({ folder }) => folder);
    expect(new Set(folders).size).toBe(4);
    expect(folders[0]).toMatch(/^\.headwater.s3-[0-9a-f]{16}$/);
    expect(folders[3]?.startsWith(join('work', 's3-'))).toBe(true);
    expect(filePlace('csv', 's3://lake/b/').folder).toBe(folders[2]);
  });

  it.each([
    ['s3:lake', 'it is written as csv:s3://BUCKET/PREFIX'],
    ['S3://lake', 'it is written as csv:s3://BUCKET/PREFIX'],
    ['s3:///x', 'it is written as csv:s3://BUCKET/PREFIX'],
    ['s3://la ke/x', 'it is written as csv:s3://BUCKET/PREFIX'],
    ['s3://lake/a//b', 'no part of its prefix may be empty'],
    ['s3://lake/../b', 'no part of its prefix may be empty'],
    ['s3://lake/.headwater', 'no part of its prefix may be empty'],
    ['s3://AKIAKEY:s3cret@lake/x', 'looks like a key of an account. Keys come from the environment (AWS_ACCESS_KEY_ID'],
    ['s3://AKIAKEY:s3cret/with@lake', 'looks like a key of an account'],
  ])('refuses %s', (address, reason) => {
    const refused = expect(() => filePlace('csv', address));
    refused.toThrow(expect.objectContaining({ code: 'DESTINATION_ADDRESS' }) as Error);
    refused.toThrow(reason);
    refused.not.toThrow(/s3cret|AKIAKEY/);
  });

  it('refuses a journal where the folder keeps its own', () => {
    expect(() => filePlace('csv', 'out', 'work')).toThrow('a folder keeps its own');
  });
});

describe('the command', () => {
  it('shows nothing of a key that somebody has put into an address', async () => {
    const address = 'ndjson:s3://AKIAKEY:s3cret@lake/x';
    const config = JSON.stringify({ api: { baseUrl: 'http://127.0.0.1:9' }, config: { jobs: [{ endpoint: 'x' }] } });
    const inConfig = JSON.stringify({
      ...(JSON.parse(config) as object),
      config: { jobs: [{ endpoint: 'x' }], sinks: [address] },
    });
    for (const [text, args] of [
      [config, ['--to', address]],
      [inConfig, []],
    ] as const) {
      const { status, stdout, stderr } = await runToEnd(['run', '-', ...args], text);
      expect(status).not.toBe(0);
      expect(stderr).toContain('looks like a key of an account');
      expect(stdout + stderr).not.toMatch(/s3cret|AKIAKEY/);
    }
  });
});
