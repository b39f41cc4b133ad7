import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stringifyJson } from '../json/stringify';
import type { Item, Page, Sink } from '../model';

export interface NdjsonOptions {
  /** Each line as `{"dataType":…,"item":…}` instead of the item alone. */
  readonly tag: boolean;
}

/**
 * Items as newline-delimited JSON, one line an item, integers digit for digit. `write` waits while the stream is full.
 *
 * @param stream where the lines go; `close` ends it, unless it is a standard stream of the process
 * @throws the stream's own error, from `write` or `close`
 * @example await ndjson(process.stdout, { tag: false }).write(page)
 */
export function ndjson(stream: Writable, { tag }: NdjsonOptions): Sink {
  const line = (dataType: string, item: Item): string =>
    tag ? `{"dataType":${JSON.stringify(dataType)},"item":${stringifyJson(item)}}\n` : `${stringifyJson(item)}\n`;
  // A stream may fail between two writes: the next call reports it.
  let failure: Error | undefined;
  stream.on('error', (error) => (failure ??= error));
  const check = (): void => {
    if (failure !== undefined) throw failure;
  };
  return {
    write: async ({ job, items }: Page) => {
      check();
      if (items.length === 0) return;
      if (!stream.write(items.map((item) => line(job.dataType, item)).join(''))) await once(stream, 'drain');
    },
    close: async () => {
      check();
      if (stream === process.stdout || stream === process.stderr) return;
      stream.end();
      await finished(stream, { readable: false });
    },
  };
}
