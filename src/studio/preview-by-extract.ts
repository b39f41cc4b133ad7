/**
 * A preview made of the first pages of a run: the request after them is held back. This is the one place that makes previews for the
 * studio.
 */
import { catchError, EMPTY, lastValueFrom, tap, throwError, toArray } from 'rxjs';
import { defineMiddleware } from '../http/middleware/define';
import { extract, FatalError, HeadwaterError } from '../index';
import type {
  Har,
  HarEntry,
  HarHeader,
  JobRef,
  Json,
  Page,
  Request,
  RunEvent,
  ToldError,
  ValidateOptions,
} from '../index';
import { itemsPathIn, listsIn, tableOf } from './lists';
import type { JobPreview, PagePreview, Preview } from './preview-shape';

export interface PreviewOptions extends ValidateOptions {
  /** Ids of jobs; default: all. */
  readonly jobs?: readonly string[];
  /** Pages of each job, default 1. */
  readonly pages?: number;
  readonly signal?: AbortSignal;
  /** In place of the network, for specs. */
  readonly fetch?: typeof globalThis.fetch;
}

const MOST_CHARACTERS = 400_000;
const MOST_ITEMS = 50;

type PagePurpose = Extract<Request['purpose'], { readonly kind: 'page' }>;
const pageOf = ({ purpose }: Request): PagePurpose | undefined =>
  purpose.kind === 'page' && purpose.step === undefined ? purpose : undefined;
const pathOf = ({ job, path = job }: PagePurpose): string => path;

interface Seen {
  readonly pages: Page[];
  readonly requests: Request[];
  readonly heldBack: Map<string, Request>;
  readonly stopped: Map<string, string>;
  readonly errors: Map<string, ToldError>;
  readonly jobs: Map<string, { readonly id: string; readonly endpoint: string; readonly dataType: string }>;
}

/**
 * Requests the first pages of each job, and stores nothing.
 *
 * @throws ConfigurationError for a configuration that cannot run
 * @example (await preview(config, { pages: 1 })).jobs[0]?.pages[0]?.items
 */
export async function preview(config: Json, options: PreviewOptions = {}): Promise<Preview> {
  const { jobs, pages = 1, signal, fetch, components = [], ...others } = options;
  const seen: Seen = {
    pages: [],
    requests: [],
    heldBack: new Map(),
    stopped: new Map(),
    errors: new Map(),
    jobs: new Map(),
  };
  const recordings: Har[] = [];
  const extraction = extract(config, {
    ...others,
    ...(signal === undefined ? {} : { signal }),
    ...(fetch === undefined ? {} : { fetch }),
    components: [...components, ...stages(seen, pages)],
    onJobError: 'continue',
    concurrency: 1,
    completeness: 'warn',
    record: (har) => void recordings.push(har),
  });
  const failures: unknown[] = [];
  await lastValueFrom(
    extraction.events$.pipe(
      tap((event) => hear(event, seen)),
      catchError((error: unknown) => {
        failures.push(error);
        return EMPTY;
      }),
      toArray(),
    ),
  );
  signal?.throwIfAborted();
  const entries = recordings.flatMap(({ log }) => log.entries);
  const [failure] = failures;
  if (seen.jobs.size === 0 && failure instanceof Error) throw failure;
  const told = failure instanceof HeadwaterError ? failure.toJSON() : undefined;
  const all = [...seen.jobs].map(([path, job]) => jobPreview(config, path, job, seen, entries, told));
  return { jobs: jobs === undefined ? all : all.filter(({ id }) => jobs.includes(id)) };
}

const stages = (seen: Seen, pages: number) => {
  const asked = new Map<string, number>();
  return [
    defineMiddleware({
      name: 'studio/enough',
      summary: 'Holds back what a preview does not need.',
      around: 'request',
      middleware: (send) => (request) => {
        const purpose = pageOf(request);
        if (purpose === undefined) return send(request);
        const path = pathOf(purpose);
        const before = asked.get(path) ?? 0;
        asked.set(path, before + 1);
        if (before < pages) return send(request);
        seen.heldBack.set(path, request);
        return throwError(() => new FatalError('PAGE_LIMIT', 'A preview asks for no more pages.'));
      },
    }),
    defineMiddleware({
      name: 'studio/seen',
      summary: 'Notes each attempt, in the order of the recording.',
      around: 'attempt',
      middleware: (send) => (request) => {
        seen.requests.push(request);
        return send(request);
      },
    }),
  ];
};

const jobOf = (event: RunEvent): JobRef | undefined => ('job' in event ? event.job : undefined);

function hear(event: RunEvent, seen: Seen): void {
  const job = jobOf(event);
  if (job !== undefined) {
    const { id, path, endpoint, dataType } = job;
    if (!seen.jobs.has(path)) seen.jobs.set(path, { id, endpoint, dataType });
  }
  if (event.type === 'page.extracted') seen.pages.push(event.page);
  if (event.type === 'pagination.stopped') seen.stopped.set(event.job.path, event.because);
  if (event.type === 'job.failed' && !seen.heldBack.has(event.job.path)) seen.errors.set(event.job.path, event.error);
}

function jobPreview(
  config: Json,
  path: string,
  job: { readonly id: string; readonly endpoint: string; readonly dataType: string },
  seen: Seen,
  entries: readonly HarEntry[],
  failure: ToldError | undefined,
): JobPreview {
  const own = seen.pages.filter((page) => page.job.path === path);
  const attempts = seen.requests.flatMap((request, at) => {
    const purpose = pageOf(request);
    const entry = entries[at];
    const isOwn = purpose !== undefined && pathOf(purpose) === path && entry !== undefined;
    return isOwn ? [{ request, entry }] : [];
  });
  // Of a request that was sent again, the last attempt counts.
  const exchanges = [...new Map(attempts.map((each) => [each.request.trace?.request, each])).values()];
  const pages = exchanges.map(({ entry }, at) =>
    pagePreview(config, path, entry, own[at], at === exchanges.length - 1, seen),
  );
  const parent = path.replace(/\.children\[\d+\]$/, '');
  const parentId = parent === path ? undefined : seen.jobs.get(parent)?.id;
  const error = own.length > 0 ? undefined : (seen.errors.get(path) ?? (exchanges.length > 0 ? failure : undefined));
  const items = own.flatMap((page) => page.items);
  return {
    ...job,
    ...(parentId === undefined ? {} : { parent: parentId }),
    ...(error !== undefined
      ? { state: 'failed', error }
      : exchanges.length > 0
        ? { state: 'previewed' }
        : { state: 'notReached', reason: 'Nothing was requested for this job: the job above it gave no items.' }),
    pages,
    tables: own.length === 0 ? [] : [tableOf(own[0]?.table ?? job.dataType, items.slice(0, MOST_ITEMS))],
  };
}

function pagePreview(
  config: Json,
  path: string,
  { request, response, time }: HarEntry,
  page: Page | undefined,
  isLast: boolean,
  seen: Seen,
): PagePreview {
  const { text, size } = response.content;
  const candidates = listsIn(text);
  const configured = itemsPathIn(config, path);
  const detected = candidates.find(({ count }) => count === page?.count)?.path ?? '';
  const following = isLast ? seen.heldBack.get(path) : undefined;
  const stopped = seen.stopped.get(path);
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: namesOf(request.headers),
      ...(request.postData === undefined ? {} : { body: request.postData.text }),
    },
    response: {
      status: response.status,
      headers: namesOf(response.headers),
      body: text.slice(0, MOST_CHARACTERS),
      bytes: size,
      milliseconds: time,
      isCut: text.length > MOST_CHARACTERS,
    },
    found: { path: configured ?? detected, how: configured === undefined ? 'detected' : 'configured', candidates },
    items: page?.items.slice(0, MOST_ITEMS) ?? [],
    count: page?.count ?? 0,
    next:
      following === undefined
        ? { because: stopped ?? (isLast ? 'Nothing more was asked for.' : 'The next page follows.') }
        : { request: { method: following.method, url: following.url }, because: 'The pagination goes on.' },
    more: following === undefined ? (stopped === undefined ? 'unknown' : 'no') : 'yes',
    moreBecause: stopped ?? '',
  };
}

const namesOf = (headers: readonly HarHeader[]): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));
