/** Runs of jobs against an API in a server, and what they say of their completeness. */
import { lastValueFrom, tap, toArray } from 'rxjs';
import { extract, IncompleteError } from '../../src';
import type { ExtractOptions, RunEvent } from '../../src';
import { json } from './answers';
import { startServer } from './api-server';
import type { ApiServer } from './api-server';

export const rows = (from: number, count: number): { id: number }[] =>
  Array.from({ length: count }, (_, at) => ({ id: from + at }));

export interface Outcome {
  readonly items: readonly unknown[];
  readonly requests: readonly string[];
  /** The codes of an incomplete run, in order. */
  readonly codes: readonly string[];
  readonly message: string;
  readonly error: unknown;
  readonly warnings: readonly string[];
  /** The codes of the warnings that are not expected, in order. */
  readonly doubts: readonly string[];
  /** `failed` where the run has not told its outcome. */
  readonly outcome: string;
  readonly finished: Extract<RunEvent, { type: 'run.finished' }> | undefined;
}

export interface Played {
  /** Added to `api`. */
  readonly api?: object;
  readonly pagination?: object;
  readonly jobs?: readonly object[];
  /** Added to `config`. */
  readonly settings?: object;
}

/**
 * Lets the specs of a file run jobs against servers of their own, to the end.
 *
 * @example
 * const play = outcomesOf();
 * it('…', async () => expect((await play(() => ({ items: [] }), {})).codes).toEqual([]));
 */
export function outcomesOf(): (
  answer: (url: URL) => unknown,
  played: Played,
  options?: ExtractOptions,
) => Promise<Outcome> {
  let server: ApiServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  return async (answer, { api = {}, pagination = {}, jobs, settings = {} }, options = {}) => {
    await server?.close();
    server = await startServer(({ url }) => {
      const body = answer(new URL(url, 'http://localhost'));
      return typeof body === 'function' ? (body as ReturnType<typeof json>) : json(body);
    });
    const events: RunEvent[] = [];
    const items: unknown[] = [];
    const config = {
      api: { baseUrl: server.origin, pagination, ...api },
      config: { jobs: jobs ?? [{ endpoint: 'items', dataField: 'items' }], ...settings },
    };
    const items$ = extract(config, { ...options, onEvent: (event) => events.push(event) }).items$;
    const error: unknown = await lastValueFrom(
      items$.pipe(
        tap((item) => items.push(item)),
        toArray(),
      ),
    ).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const finished = events.find((event) => event.type === 'run.finished');
    return {
      items,
      error,
      requests: server.requests.map(({ url }) => url),
      codes: error instanceof IncompleteError ? error.doubts.map(({ code }) => code) : [],
      message: error instanceof Error ? error.message : '',
      warnings: events.flatMap((event) => (event.type === 'warning' ? [`${event.code} ${event.message}`] : [])),
      doubts: events.flatMap((event) => (event.type === 'warning' && event.isExpected !== true ? [event.code] : [])),
      outcome: finished?.outcome ?? 'failed',
      finished,
    };
  };
}
