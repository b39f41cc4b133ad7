/** Runs without a network, from the recording of an earlier run. */
import { distance } from 'fastest-levenshtein';
import type { SchedulerLike } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import type { Har, HarEntry } from '../../run/recording';
import { BODYLESS } from './scripted-api';
import { virtualTime } from './virtual-time';

/** Options for `extract` and `deliver`. */
export interface Replay {
  readonly fetch: typeof globalThis.fetch;
  /** The clock, which starts when the recorded run began, and never waits. */
  readonly scheduler: SchedulerLike;
  /** A variable that is not set is no fault, since nothing is sent: a recording has `***` in place of its value. */
  readonly unset: 'stand in';
}

/** A replay with its unused exchanges. */
export interface CountedReplay {
  readonly options: Replay;
  /** Returns the recorded exchanges that no request has used, in their order. */
  readonly left: () => readonly HarEntry[];
}

/** The error codes of Node.js. */
const FAILURES: Readonly<Record<string, string>> = {
  NETWORK_RESOLVE: 'ENOTFOUND',
  NETWORK_CONNECT: 'ECONNREFUSED',
  NETWORK_TIMEOUT: 'ETIMEDOUT',
  NETWORK_RESET: 'ECONNRESET',
};

/**
 * Runs the same configuration again from the recording of a run, by the option `record` or `headwater run --record FILE`: the items are the
 * same, byte by byte. It needs no credentials, and does not wait. Each recorded exchange responds to one request of the same method, URL
 * and body, in the order in which they were recorded; `***` matches any value.
 *
 * Errors of the run: `NOT_RECORDED` for a request without a response; the message names the most similar recorded request.
 *
 * @param recording the HAR, parsed
 * @returns options for one run
 * @throws TypeError when it is no recording
 * @example
 * const recording = JSON.parse(await readFile('rivers.har', 'utf8'));
 * extract(config, replay(recording)).items$.subscribe((item) => console.log(item));
 */
export function replay(recording: Har): Replay {
  return countedReplay(recording).options;
}

/** Returns a replay that also reports its unused exchanges. */
export function countedReplay(recording: Har): CountedReplay {
  if (!isRecording(recording)) throw new TypeError('replay: expected a HAR that Headwater has recorded.');
  const { entries, _startedAt: startedAt } = recording.log;
  const left = entries.map((entry) => ({ entry, fits: fitting(entry) }));

  const fetch: Replay['fetch'] = async (input, init) => {
    const asked = new Request(input, { ...init, signal: null });
    const body = await asked.text();
    init?.signal?.throwIfAborted();
    const at = left.findIndex(({ fits }) => fits(asked.method, asked.url, body));
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found === undefined) throw notRecorded(asked, entries);
    const { status, headers, content, _error: error } = found.entry.response;
    if (status === 0) {
      const code = FAILURES[error ?? ''] ?? 'EPROTO';
      const cause = Object.assign(new Error(`The recorded request failed: ${error}`), { code, syscall: 'read' });
      throw Object.assign(new TypeError('fetch failed'), { cause });
    }
    const bytes = Buffer.from(content.text, content.encoding ?? 'utf8');
    return new Response(BODYLESS.has(status) ? null : bytes, {
      status,
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
    });
  };
  return {
    options: { fetch, scheduler: virtualTime(startedAt * 1000).scheduler, unset: 'stand in' },
    left: () => left.map(({ entry }) => entry),
  };
}

const isRecording = (value: unknown): boolean => {
  const log: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'log') : undefined;
  if (typeof log !== 'object' || log === null) return false;
  return Array.isArray(Reflect.get(log, 'entries')) && typeof Reflect.get(log, '_startedAt') === 'number';
};

/** `***` in URLs is literal, or percent-encoded. */
const MASKS = /\*\*\*|%2A%2A%2A/i;

/** Returns a function that checks whether masking a string would give this one. */
function pattern(masked: string): (text: string) => boolean {
  const pieces = masked.split(MASKS);
  if (pieces.length === 1) return (text) => text === masked;
  const expression = new RegExp(
    `^${pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^]*?')}$`,
  );
  return (text) => expression.test(text);
}

function fitting({ request }: HarEntry): (method: string, url: string, body: string) => boolean {
  const fitsUrl = pattern(request.url);
  const fitsBody = pattern(request.postData?.text ?? '');
  return (method, url, body) => method === request.method && fitsUrl(url) && fitsBody(body);
}

function notRecorded({ method, url }: Request, entries: readonly HarEntry[]): FatalError {
  const line = `${method} ${url}`;
  const lines = entries.map(({ request }) => `${request.method} ${request.url}`);
  const [nearest] = lines.sort((a, b) => distance(a, line) - distance(b, line));
  const like = nearest === undefined ? 'Nothing was recorded.' : `The most similar recorded request: ${nearest}`;
  return new FatalError(
    'NOT_RECORDED',
    `${line} has no answer in the recording, or was asked for more often than it was recorded. ${like}`,
    { method, url },
  );
}
