/** A look at what a configuration gets, with the pipeline of a run. */
import { asyncScheduler, defer, from, lastValueFrom, tap } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import { loginsOf } from '../../run/extract';
import type { JsonObject } from '../../core/model';
import { untilAborted } from '../../operators/until-aborted';
import { checkTransport, prepare } from '../../run/prepare';
import type { ValidateOptions } from '../../run/prepare';
import { recorder } from '../../run/recording/recorded';
import { redacted } from '../../run/recording/redacted';
import type { Exchange } from '../../run/recording/redacted';
import { run } from '../../run/run';
import { Secrets } from '../../core/secrets/secrets';
import { sessionsOfRun } from '../../run/sessions/sessions';
import type { TransportChoice } from '../../run/sessions/sessions';
import type { RunEvent } from '../../core/events';
import { credentialStore } from '../../run/state/credential-store';
import type { SaveState } from '../../run/state/credential-store';
import { cursorsOf } from '../../run/state/cursors';
import { previousStartOf } from '../../run/state/next-state';
import { chosenJobs } from '../../run/streams/chosen-jobs';
import { createTuning } from '../../run/tuning/tuning';
import type { NestingOptions } from '../../sinks/linked/nesting';
import { createCollected } from './collect';
import { exchangeOf } from './exchanges';
import { jobPreviews } from './jobs';
import type { Sent } from './pages';
import type { Preview } from './model';
import { sampleOf } from './sample';

/** How much is looked at. */
export interface PreviewOptions extends ValidateOptions, TransportChoice, NestingOptions {
  /** Pages of each job, an integer from 1; default 1. */
  readonly pages?: number;
  /** The `id` of a job; of one without, its `dataType`, or else its endpoint: only it and those above it are requested. */
  readonly job?: string;
  /** Items of each page, and rows of each table, that are shown; default 3. */
  readonly items?: number;
  /** Characters of each body that are shown; default 16384. */
  readonly bodyCharacters?: number;
  /** The state that the last run left: where jobs ask only for what is new, and what is kept of logins. */
  readonly state?: JsonObject;
  /** As in `extract`: what a login gives to be kept must be stored, or the next run may have to log in anew. */
  readonly onCredentials?: SaveState;
  /** Hears what happens; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
  readonly scheduler?: SchedulerLike;
}

const ITEMS = 3;
const BODY_CHARACTERS = 16_384;

/**
 * Requests one page of each job, of children for the first item that leads to them, and tells what came, where the items are, what
 * tables they make, and what paging would do next. Nothing is stored, and no destination is opened. Requests are those of a run:
 * a job that submits something submits it.
 *
 * @param config the configuration, parsed
 * @param options how many pages, and of which job
 * @returns what each job got: one that fails says why, and keeps others from nothing but those below it
 * @throws ConfigurationError with every fault at once, before any request; RangeError for options; the reason of `signal`
 * @example
 * const { jobs } = await preview({ api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'users' }] } });
 * for (const { endpoint, pages } of jobs) console.log(endpoint, pages[0]?.found.path, pages[0]?.more);
 */
export async function preview(config: unknown, options: PreviewOptions = {}): Promise<Preview> {
  const {
    pages = 1,
    items = ITEMS,
    bodyCharacters = BODY_CHARACTERS,
    state = {},
    components = [],
    scheduler,
  } = options;
  for (const [name, value] of Object.entries({ pages, items, bodyCharacters })) checkCount(name, value);
  const { planned: whole, secrets: known } = prepare(config, options);
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
      ...{ completeness: 'warn', lenient: options.lenient ?? false, strict: false, onJobError: 'continue' },
      gate: () => from([0]),
    });
  });
  const told$ = run$.pipe(
    tap((event) => {
      collected.hear(event);
      options.onEvent?.(event);
    }),
    untilAborted(options.signal),
  );
  await lastValueFrom(told$, { defaultValue: undefined }).catch((error: unknown) => {
    // What became of jobs is told of each.
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
