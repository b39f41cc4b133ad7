import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../../src/core/json/parse';
import type { JobRef } from '../../../src/core/model';
import { ndjson } from '../../../src/sinks/ndjson/stream';
import { aPage } from '../../support/pages';

const job: JobRef = { id: 'j', path: 'config.jobs[0]', endpoint: 'users', dataType: 'us"er' };

describe('ndjson', () => {
  it('writes a line an item, with every digit and the keys in their order', async () => {
    const stream = new PassThrough();
    const sink = ndjson(stream, { tag: false });
    await sink.write(aPage([parseJson('{"b":9007199254740993,"2":1,"1":"x\\ny"}'), 'text', null, [1.5]]));
    await sink.close();
    expect(await text(stream)).toBe('{"b":9007199254740993,"2":1,"1":"x\\ny"}\n"text"\nnull\n[1.5]\n');
  });

  it('tags each line with its data type', async () => {
    const stream = new PassThrough();
    const sink = ndjson(stream, { tag: true });
    await sink.write(aPage([{ id: 1 }], { job }));
    await sink.close();
    expect(await text(stream)).toBe('{"dataType":"us\\"er","item":{"id":1}}\n');
  });

  it('tags each line with what tables add to its item', async () => {
    const stream = new PassThrough();
    const sink = ndjson(stream, { tag: false, tagExtra: true });
    await sink.write(aPage([{ id: 1 }], { job, extra: new Map([['parent_id', '7"']]) }));
    await sink.write(aPage(['x'], { job }));
    await sink.close();
    expect(await text(stream)).toBe(
      '{"dataType":"us\\"er","extra":{"parent_id":"7\\""},"item":{"id":1}}\n{"dataType":"us\\"er","extra":{},"item":"x"}\n',
    );
  });

  it('waits while the stream is full', async () => {
    let release: (() => void) | undefined;
    const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => (release = () => done()) });
    let written = false;
    const write = ndjson(slow, { tag: false })
      .write(aPage([1]))
      .then(() => (written = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    release?.();
    await write;
    expect(written).toBe(true);
  });

  it('a page without items writes nothing', async () => {
    const stream = new PassThrough();
    await ndjson(stream, { tag: false }).write(aPage([]));
    expect(stream.readableLength).toBe(0);
  });

  it('fails with the error of the stream', async () => {
    const broken = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(new Error('disk full')) });
    await expect(ndjson(broken, { tag: false }).write(aPage([1]))).rejects.toThrow('disk full');
  });

  it('fails at the next call when the stream broke in between', async () => {
    const broken = new PassThrough();
    const sink = ndjson(broken, { tag: false });
    broken.destroy(new Error('disk gone'));
    await new Promise((resolve) => broken.once('close', resolve));
    await expect(sink.write(aPage([1]))).rejects.toThrow('disk gone');
    await expect(sink.close()).rejects.toThrow('disk gone');
  });
});
