/** Runs a configuration from a recording. */
import { lastValueFrom } from 'rxjs';
import { FatalError, HeadwaterError } from '../../core/errors/errors';
import type { RunEvent, WarningCode } from '../../core/events';
import { jobNameOf } from '../../core/text';
import { keepLiterals } from '../../core/json/literals';
import { defined, entriesOf, isList, isObject, objectFrom } from '../../core/json/objects';
import type { JobRef, Json, Page } from '../../core/model';
import { Secrets } from '../../core/secrets/secrets';
import { extract } from '../../run/extract';
import type { ExtractOptions } from '../../run/extract';
import type { Har } from '../../run/recording';
import { destinationsOf, prepare } from '../../run/validate';
import { tablesOf } from '../probe/tables';
import { countedReplay } from '../testing/replay';

/** The result of a configuration for a recording. Secrets are `***` in it. */
export interface ReplayedRun {
  readonly jobs: readonly ReplayedJob[];
  /** The tables of all items in a database; empty if the run failed. */
  readonly tables: readonly ReplayedTable[];
  /** The warnings of the run, each once. */
  readonly warnings: readonly ReplayedWarning[];
  /** The code of the error that ended the run; absent: it succeeded. */
  readonly error?: string;
}

/** The result of one job, all of its calls together. */
export interface ReplayedJob {
  /** Its name for users: its `id`, else its `dataType`, else its endpoint. */
  readonly job: string;
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  readonly pages: number;
  readonly items: readonly Json[];
}

/** A table without its rows, which are made of the items. */
export interface ReplayedTable {
  readonly name: string;
  /** The parent table. */
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: number;
}

/** A warning without its message, which is for users. */
export interface ReplayedWarning {
  readonly code: WarningCode;
  /** Absent: it is about the whole run. */
  readonly job?: string;
}

/** The course of a replay, beside its result. */
export interface Replaying {
  readonly run: ReplayedRun;
  /** The number of requests in the recording. */
  readonly requests: number;
  /** Recorded requests that the run did not send, as `GET https://…`. */
  readonly unasked: readonly string[];
  /** The message of the error of the run; absent: it succeeded. */
  readonly message?: string;
}

/** The options of `extract` that change the result. */
export type ReplayRunOptions = Pick<
  ExtractOptions,
  'components' | 'env' | 'lenient' | 'secretFiles' | 'signal' | 'state'
>;

/**
 * Runs a configuration from the recording of an earlier run, without a network and without waiting, and returns the whole result for a
 * comparison with the accepted one.
 *
 * @param config the configuration, parsed
 * @param recording the HAR, parsed, of the option `record` or `headwater run --record FILE`
 * @returns the run, even if it failed, and the recorded requests that it did not send
 * @throws ConfigurationError with every fault at once; TypeError when it is no recording; FatalError NOT_RECORDED when it
 *   has no request, or no page came, so that there is nothing to compare; the reason of `signal`
 * @example
 * const { run, unasked } = await replayRun(config, JSON.parse(await readFile('rivers.har', 'utf8')));
 * console.log(differencesOf(accepted, run), unasked);
 */
export async function replayRun(config: unknown, recording: Har, options: ReplayRunOptions = {}): Promise<Replaying> {
  const { options: replayed, left } = countedReplay(recording);
  const { planned, secrets: known } = prepare(config, { ...options, unset: replayed.unset });
  const secrets = new Secrets([...known, ...planned.iterations.flatMap((iteration) => iteration.secrets)]);
  const collected = collectRun(secrets);
  const { events$ } = extract(config, { ...options, ...replayed, onEvent: collected.onEvent });
  const failure = await lastValueFrom(events$, { defaultValue: undefined }).then(
    () => undefined,
    (error: unknown) => {
      if (options.signal?.aborted === true || !(error instanceof HeadwaterError)) throw error;
      return error;
    },
  );
  const { _startedAt: startedAt, entries } = recording.log;
  if (entries.length === 0 || (failure === undefined && collected.pages.length === 0)) throw nothing(entries.length);
  const { outputs } = destinationsOf(planned);
  const tables = failure === undefined ? await tablesOf(collected.pages, outputs, { most: 0, startedAt }) : [];
  return {
    run: {
      jobs: collected.jobs(),
      tables: tables.map(({ name, parent, columns, count }) => ({
        ...{ name, ...defined({ parent }) },
        columns: columns.map((column) => ({ name: column.name, type: column.type })),
        rows: count,
      })),
      warnings: collected.warnings(),
      ...defined({ error: failure?.code }),
    },
    requests: entries.length,
    unasked: left().map(({ request }) => `${request.method} ${secrets.mask(request.url)}`),
    ...defined({ message: failure && secrets.mask(failure.message) }),
  };
}

const nothing = (requests: number): FatalError =>
  new FatalError(
    'NOT_RECORDED',
    requests === 0
      ? 'The recording has no request, so that nothing can be compared. Record a run again.'
      : 'No page came of the recording, so that nothing can be compared. Record a run whose jobs are called.',
  );

/** The collected events of a run. */
export interface CollectedRun {
  readonly onEvent: (event: RunEvent) => void;
  /** All pages in their order. */
  readonly pages: readonly Page[];
  readonly jobs: () => readonly ReplayedJob[];
  readonly warnings: () => readonly ReplayedWarning[];
}

/** @example events$.subscribe(collected.onEvent) */
function collectRun(secrets: Secrets): CollectedRun {
  const pages: Page[] = [];
  const started = new Map<string, { readonly job: string; readonly iteration: number; readonly pages: Page[] }>();
  const warnings = new Map<string, ReplayedWarning>();
  const nameOf = (job: JobRef): string => secrets.mask(jobNameOf(job));
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'page.extracted') {
      const { page } = event;
      // A page that only records a submission never has items.
      if (page.evidence?.place === 'before') return;
      const key = `${page.iteration} ${page.job.path}`;
      const known = started.get(key) ?? { job: nameOf(page.job), iteration: page.iteration, pages: [] };
      started.set(key, known);
      known.pages.push(page);
      pages.push(page);
    } else if (event.type === 'warning') {
      const warning = { code: event.code, ...(event.job === undefined ? {} : { job: nameOf(event.job) }) };
      warnings.set(JSON.stringify(warning), warning);
    }
  };
  return {
    onEvent: onEvent,
    pages,
    jobs: () =>
      Array.from(started.values(), ({ job, iteration, pages: own }) => ({
        job,
        iteration,
        pages: own.length,
        items: own.flatMap(({ items }) => items.map((item) => withoutSecrets(item, secrets))),
      })),
    warnings: () => [...warnings.values()],
  };
}

/** Returns a value with `***` in place of secrets; without any, the value itself with its digits. */
function withoutSecrets(value: Json, secrets: Secrets): Json {
  if (typeof value === 'string') return secrets.maskValues(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const masked = secrets.maskValues(String(value));
    return masked === String(value) ? value : masked;
  }
  if (isList(value))
    return keepLiterals(
      value,
      value.map((each) => withoutSecrets(each, secrets)),
    );
  if (!isObject(value)) return value;
  const entries = entriesOf(value).map(
    ([key, each]) => [secrets.maskValues(key), withoutSecrets(each, secrets)] as const,
  );
  return keepLiterals(value, objectFrom(entries));
}
