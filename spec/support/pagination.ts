/** The nouns of pagination with defaults, for specs. */
import { isRight } from 'fp-ts/Either';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { extract, IncompleteError } from '../../src';
import { isList } from '../../src/core/json/objects';
import { valueAt } from '../../src/core/json/path';
import { parseJson } from '../../src/core/json/parse';
import { stringifyJson } from '../../src/core/json/stringify';
import { pagination } from '../../src/language/configuration/pagination';
import { BUILT_IN } from '../../src/run/built-in-parts';
import { createProgressTracker } from '../../src/run/state/progress';
import type { Headers, Json, JsonObject, Page } from '../../src/core/model';
import type { ChosenPagination } from '../../src/language/parts/pagination/pagination';
import type { Arrival, JobFacts } from '../../src/language/parts/pagination/paginator';
import { aResponse } from './requests';

export const jobFacts = (changes: Partial<JobFacts> = {}): JobFacts => ({
  path: 'config.jobs[0]',
  params: {},
  baseUrl: 'https://api.example/v2/',
  endpointUrl: 'https://api.example/v2/users?sort=up',
  ...changes,
});

/** The pagination of these options, as a configuration would write them. */
export function chosenPagination(written: JsonObject): ChosenPagination {
  const read = pagination(BUILT_IN).decode(written);
  if (isRight(read) && read.right.kind === 'one') return read.right.pagination;
  throw new Error(`no pagination method: ${JSON.stringify(written)}`);
}

/** A page that has arrived: its step, its items and the whole response. */
export const arrivalOf = ({
  data = null,
  headers = {},
  items = [],
  ...rest
}: Pick<Arrival, 'step'> &
  Partial<Omit<Arrival, 'count'>> & { readonly data?: Json; readonly headers?: Headers }): Arrival => ({
  items,
  count: items.length,
  reply: { response: aResponse({ headers }), data },
  now: 0,
  ...rest,
});

/** The items in a response, where `dataField` of the job names them. */
export const itemsAt = (data: Json, job: JsonObject = {}): readonly Json[] => {
  const found = valueAt(data, typeof job['dataField'] === 'string' ? job['dataField'] : '.');
  return isList(found) ? found : [];
};

/** What an API answers: JSON, and headers. */
export interface Reply {
  readonly data: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came of a run against a list of replies. */
export interface PagedRun {
  /**
   * The requests: method and URL without the host, decoded, then the header that was asked for, if it is there, then the body:
   * `POST /users [range: 0-1] {"q":1}`.
   */
  readonly asked: readonly string[];
  readonly pages: readonly Page[];
  readonly items: readonly Json[];
  readonly warnings: readonly string[];
  /** The codes of what makes the run incomplete. */
  readonly doubts: readonly string[];
  /** Of a run that failed. */
  readonly error: unknown;
}

/**
 * Runs a configuration against an API in this process that gives one reply after the other, whatever is asked; behind the last one it
 * answers with status 418.
 *
 * @param options `header`: the name of a header of requests to be told of; `done`: pages of a run that was broken off, which this one follows
 */
export async function playPages(
  config: object,
  replies: readonly Reply[],
  { header = '', done = [] }: { readonly header?: string; readonly done?: readonly Page[] } = {},
): Promise<PagedRun> {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const sent = header === '' ? null : request.headers.get(header);
    const { origin } = new URL(request.url);
    const line = `${request.method} ${decodeURIComponent(request.url.slice(origin.length))}`;
    const parts = [line, ...(sent === null ? [] : [`[${header}: ${sent}]`]), await request.text()];
    const reply = replies[asked.push(parts.filter((part) => part !== '').join(' ')) - 1];
    const headers = { 'content-type': 'application/json', ...reply?.headers };
    return new Response(reply === undefined ? '' : stringifyJson(reply.data), { status: reply ? 200 : 418, headers });
  };
  const book = createProgressTracker();
  for (const { checkpoint } of done) book.add(checkpoint);
  // As a run finds it that comes later: it has been text in between.
  const progress = new Map(
    [...book.progress()].map(([call, at]) => [
      call,
      parseJson(stringifyJson(at as unknown as Json)) as unknown as typeof at,
    ]),
  );
  const pages: Page[] = [];
  const warnings: string[] = [];
  const run = extract(config, { fetch, ...(done.length === 0 ? {} : { resume: { startedAt: 1, progress } }) });
  const error: unknown = await lastValueFrom(
    run.events$.pipe(
      tap((event) => {
        if (event.type === 'page.extracted') pages.push(event.page);
        if (event.type === 'warning') warnings.push(event.message);
      }),
      toArray(),
    ),
  ).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const doubts = error instanceof IncompleteError ? error.doubts.map(({ code }) => code) : [];
  return {
    ...{ asked, pages, warnings, doubts },
    items: pages.flatMap(({ items }) => items),
    error: error instanceof IncompleteError ? undefined : error,
  };
}
