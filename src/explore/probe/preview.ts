/** Makes a preview of a prepared configuration, with the pipeline of a run. */
import { asyncScheduler, defer, from, lastValueFrom, tap } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import type { JsonObject } from '../../core/model';
import { Secrets } from '../../core/secrets/secrets';
import { untilAborted } from '../../operators/until-aborted';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { loginsOf } from '../../run/extract';
import { recorder, redacted } from '../../run/recording';
import type { Exchange, HarEntry, HarHeader } from '../../run/recording';
import { run } from '../../run/run';
import { sessionsOfRun } from '../../run/sessions/sessions';
import type { TransportChoice } from '../../run/sessions/sessions';
import { cursorsOf, previousStartOf } from '../../run/state/cursors';
import { credentialStore } from '../../run/state/kept-credentials';
import type { SaveState } from '../../run/state/kept-credentials';
import { chosenJobs } from '../../run/streams/chosen-jobs';
import { createTuning } from '../../run/tuning';
import { checkTransport } from '../../run/validate';
import type { Prepared, ValidateOptions } from '../../run/validate';
import type { NestingOptions } from '../../sinks/options';
import type { ExchangePreview, JobPreview, PagePreview, Preview, RequestPreview, ResponsePreview } from './model';
import { createCollected, cutText, guessesAbout, pagePreviews, shownValue } from './pages';
import type { Around, Collected, Seen, Sent } from './pages';
import { placedJobs } from './requests';
import type { PlacedJob } from './requests';
import { sampleOf } from './sample';
import { tablesOf } from './tables';

/** How much is previewed. */
export interface PreviewOptions extends ValidateOptions, TransportChoice, NestingOptions {
  /** Pages of each job, an integer from 1; default 1. */
  readonly pages?: number;
  /** The `id` of a job; without one, its `dataType`, or else its endpoint: only it and its parents are requested. */
  readonly job?: string;
  /** The maximum number of items of each page, and of rows of each table; default 3. */
  readonly items?: number;
  /** The maximum characters of each body; default 16384. */
  readonly bodyCharacters?: number;
  /** The state after the last run: cursors, and kept credentials. */
  readonly state?: JsonObject;
  /** Receives values of a login to keep, as in `extract`; they must be stored, or the next run may have to log in again. */
  readonly onCredentials?: SaveState;
  /** Is called with each event; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
  readonly scheduler?: SchedulerLike;
}

const ITEMS = 3;
const BODY_CHARACTERS = 16_384;

/** Requests the first pages of a prepared configuration. */
export async function previewOf(
  { planned: whole, secrets: known }: Prepared,
  options: PreviewOptions,
): Promise<Preview> {
  const {
    pages = 1,
    items = ITEMS,
    bodyCharacters = BODY_CHARACTERS,
    state = {},
    components = [],
    scheduler,
  } = options;
  for (const [name, value] of Object.entries({ pages, items, bodyCharacters })) checkCount(name, value);
  checkTransport(whole, options);
  const { planned, decided } = sampleOf(whole, pages);
  const isNeeded = options.job === undefined ? undefined : chosenJobs(planned.iterations, options.job, 'job').isNeeded;
  const secrets = new Secrets(known);
  const exchanges: Exchange[] = [];
  const middleware = [...components.filter((part) => part.kind === 'middleware'), recorder(exchanges)];
  const { concurrency, requests, values$ } = createTuning(planned.iterations, { ownsLogins: true });
  const collected = createCollected();
  const run$ = defer(() => {
    const sessions = sessionsOfRun(planned, {
      ...{ secrets, scheduler, renewEarly: true, transport: options },
      store: credentialStore(state, loginsOf(whole), options.onCredentials ?? (() => undefined)),
      settings: { plainRetries: options.plainRetries === true, middleware, cacheFolder: undefined, seal: undefined },
    });
    return run(planned, {
      ...{ secrets, sessions, ownsSessions: true, tuned: [requests], concurrency, values$, scheduler, isNeeded },
      ...{ progress: new Map(), cursors: cursorsOf(state), previousStart: previousStartOf(state) },
      ...{
        completeness: 'warn',
        isDetailed: true,
        lenient: options.lenient ?? false,
        strict: false,
        onJobError: 'continue',
        failedCalls: 'end the job',
      },
      gate: () => from([0]),
    });
  });
  const reported$ = run$.pipe(
    tap((event) => {
      collected.onEvent(event);
      options.onEvent?.(event);
    }),
    untilAborted(options.signal),
  );
  await lastValueFrom(reported$, { defaultValue: undefined }).catch((error: unknown) => {
    // The failure of a job is in its result.
    if (!(error instanceof HeadwaterError) || options.signal?.aborted === true) throw error;
  });
  const startedAt = collected.startedAt() || Math.floor((scheduler ?? asyncScheduler).now() / 1000);
  const sent = redacted(exchanges, startedAt, secrets).log.entries.flatMap((entry, at): Sent[] => {
    const { request } = exchanges[at] ?? {};
    return request === undefined ? [] : [{ request, shown: exchangeOf(entry, bodyCharacters) }];
  });
  const nested = options.nested === undefined ? {} : { nested: options.nested };
  return {
    jobs: await jobPreviews(planned.iterations, {
      ...nested,
      collected,
      decided,
      sent,
      secrets,
      items,
      startedAt,
      isNeeded,
    }),
    logins: sent.flatMap(({ request, shown }) => (request.purpose.kind === 'login' ? [shown] : [])),
    warnings: collected.warnings,
    iterations: whole.iterations.length,
  };
}

function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`preview: ${name} must be an integer from 1`);
}

/** The data of a preview: the events of the run, and what it sent. */
export interface Gathered extends Around, NestingOptions {
  readonly collected: Collected;
  readonly sent: readonly Sent[];
  readonly startedAt: number;
  readonly isNeeded: ((job: JobPlan) => boolean) | undefined;
}

async function jobPreviews(iterations: readonly IterationPlan[], gathered: Gathered): Promise<readonly JobPreview[]> {
  const made: JobPreview[] = [];
  for (const { jobs, output } of iterations)
    for (const placed of placedJobs(jobs)) {
      if (gathered.isNeeded?.(placed.plan) === false) continue;
      const parent = made.find(({ path }) => path === placed.parent?.path);
      made.push(await jobPreview(placed, parent, { ...gathered, output }));
    }
  return made;
}

async function jobPreview(
  { plan, parent: above, child }: PlacedJob,
  parent: JobPreview | undefined,
  gathered: Gathered & Pick<IterationPlan, 'output'>,
): Promise<JobPreview> {
  const { collected, sent, secrets, items, startedAt, nested, output } = gathered;
  const { id, path, endpoint, dataType } = plan;
  const masked = (text: string): string => secrets.mask(text);
  const seen: Seen = collected.of(path) ?? { pages: [], warnings: [] };
  const own = sent.filter(({ request: { purpose } }) => purpose.kind === 'page' && purpose.path === path);
  const pages = pagePreviews(plan, seen, own, gathered);
  const state = seen.error !== undefined ? 'failed' : seen.pages.length > 0 ? 'previewed' : 'notReached';
  const how = { most: items, startedAt, ...(nested === undefined ? {} : { nested }) };
  const tables = await tablesOf(seen.pages, [output], how);
  return {
    ...{ id: masked(id), path, endpoint: masked(endpoint), dataType: masked(dataType) },
    ...(above === undefined ? {} : { parent: masked(above.id) }),
    ...(seen.placeholders === undefined ? {} : { placeholders: seen.placeholders }),
    state,
    ...(state === 'notReached' ? { reason: masked(reasonOf(plan, parent, child?.filter)) } : {}),
    ...(seen.error === undefined ? {} : { error: seen.error }),
    pages: pages.map((page) => ({
      ...page,
      found: { ...page.found, path: masked(page.found.path) },
      moreBecause: masked(page.moreBecause),
    })),
    exchanges: own.map(({ shown }) => shown),
    tables: tables.map((table) => ({
      ...{ ...table, name: masked(table.name) },
      ...(table.parent === undefined ? {} : { parent: masked(table.parent) }),
      columns: table.columns.map((column) => ({ ...column, name: masked(column.name) })),
      rows: table.rows.map((row) => row.map((cell) => shownValue(cell, secrets))),
    })),
    warnings: [...shortOf(endpoint, pages.at(-1)), ...guessed(plan, seen, pages), ...seen.warnings].map(masked),
  };
}

/** Returns what is guessed about a job that ends with its only page. */
function guessed(plan: JobPlan, { pages }: Seen, [shown, ...others]: readonly PagePreview[]): readonly string[] {
  const [page] = pages;
  if (page === undefined || shown === undefined || others.length > 0 || shown.next.request !== undefined) return [];
  return guessesAbout(plan, page, shown.more);
}

/** Returns the warning about a result that would silently be too short. */
function shortOf(endpoint: string, last: PagePreview | undefined): readonly string[] {
  if (last === undefined || last.more !== 'yes' || last.next.request !== undefined) return [];
  return [
    `A run would stop here, and the API has more of ${endpoint}. ${last.moreBecause} ` +
      `Paging stops because: ${last.next.because} Set api.pagination, or the pagination of the job, accordingly.`,
  ];
}

function reasonOf({ slices }: JobPlan, parent: JobPreview | undefined, filter: string | undefined): string {
  if (parent === undefined) {
    return slices === undefined
      ? 'the run ended before it'
      : 'there is nothing to request: no window, or no value of a partition';
  }
  if (parent.state === 'failed') return 'its parent failed';
  if (parent.state === 'notReached') return 'its parent was not reached';
  if (parent.pages.every(({ count }) => count === 0)) return 'its parent had no items';
  if (filter !== undefined) return `no item of its parent passes the recursionFilter ${JSON.stringify(filter)}`;
  return 'no item of its parent led to it, or another child of its parent failed before';
}

/**
 * Returns an exchange in the form that may be shown.
 *
 * @param entry the entry of a recording, without its secrets
 * @param most the maximum characters of bodies
 */
function exchangeOf({ request, response, time }: HarEntry, most: number): ExchangePreview {
  const asked = requestOf(request, most);
  if (response.status === 0)
    return { request: asked, ...(response._error === undefined ? {} : { error: response._error }) };
  return { request: asked, response: responseOf(response, time, most) };
}

function requestOf({ method, url, headers, postData }: HarEntry['request'], most: number): RequestPreview {
  const body = postData === undefined ? {} : { body: cutText(postData.text, most) };
  return { method, url, headers: headersOf(headers), ...body };
}

function responseOf({ status, headers, content }: HarEntry['response'], time: number, most: number): ResponsePreview {
  const isText = content.encoding === undefined;
  return {
    status,
    headers: headersOf(headers),
    body: isText ? cutText(content.text, most) : '',
    bytes: content.size,
    milliseconds: time,
    isCut: !isText || content.text.length > most,
  };
}

/** All lines of one name count. */
function headersOf(headers: readonly HarHeader[]): Readonly<Record<string, string>> {
  const lines = new Map<string, string>();
  for (const { name, value } of headers) {
    const before = lines.get(name);
    lines.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(lines);
}
