import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Page, Sink } from '../../core/model';

export interface NdjsonOptions {
  /** True if each line is `{"dataType":…,"item":…}` instead of the item alone. */
  readonly tag: boolean;
  /** True if each line is `{"dataType":…,"extra":{…},"item":…}`, with the columns that tables add to the item; default false. */
  readonly tagExtra?: boolean;
}

/**
 * Returns a sink of items as newline-delimited JSON, one line for each item, in the spelling of the API (see {@link Page.lines}). `write`
 * waits while the stream is full.
 *
 * @param stream where the lines go; `close` ends it, unless it is a standard stream of the process
 * @throws the stream's own error, from `write` or `close`
 * @example await ndjson(process.stdout, { tag: false }).write(page)
 */
export function ndjson(stream: Writable, { tag, tagExtra = false }: NdjsonOptions): Sink {
  const linesOf = (page: Page): Uint8Array => {
    if (!tag && !tagExtra) return page.lines();
    const extra = tagExtra ? `,"extra":${JSON.stringify(Object.fromEntries(page.extra))}` : '';
    return page.lines(`{"dataType":${JSON.stringify(page.job.dataType)}${extra},"item":`, '}');
  };
  const failure = failureOf(stream);
  const check = (): void => {
    if (failure.error !== undefined) throw failure.error;
  };
  return {
    write: async (page) => {
      check();
      if (page.count === 0) return;
      if (!stream.write(linesOf(page))) await once(stream, 'drain');
    },
    close: async () => {
      check();
      if (stream === process.stdout || stream === process.stderr) return;
      stream.end();
      await finished(stream, { readable: false });
    },
  };
}

interface Failure {
  error?: Error;
}
const failures = new WeakMap<Writable, Failure>();

/**
 * Returns the failure of a stream: it may fail between two writes, and the next call reports it. One listener serves all sinks of a stream.
 */
function failureOf(stream: Writable): Failure {
  const known = failures.get(stream);
  if (known !== undefined) return known;
  const failure: Failure = {};
  failures.set(stream, failure);
  stream.on('error', (error) => (failure.error ??= error));
  return failure;
}
