/** What a regression test keeps of the events of its run. */
import type { RunEvent } from '../../core/events';
import { jobNameOf } from '../../core/job-name';
import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import { keepLiterals } from '../../core/json/literals';
import type { JobRef, Json, Page } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { ReplayedJob, ReplayedWarning } from './model';

/** What was heard of a run. */
export interface Heard {
  readonly hear: (event: RunEvent) => void;
  /** All of them, in their order. */
  readonly pages: readonly Page[];
  readonly jobs: () => readonly ReplayedJob[];
  readonly warnings: () => readonly ReplayedWarning[];
}

/** @example events$.subscribe(heard.hear) */
export function createHeard(secrets: Secrets): Heard {
  const pages: Page[] = [];
  const started = new Map<string, { readonly job: string; readonly iteration: number; readonly pages: Page[] }>();
  const warnings = new Map<string, ReplayedWarning>();
  const nameOf = (job: JobRef): string => secrets.mask(jobNameOf(job));
  const hear = (event: RunEvent): void => {
    if (event.type === 'page.extracted') {
      const { page } = event;
      // A page that only says that something was submitted has no items, and never will.
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
    hear,
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

/** A value with `***` in the place of secrets; where there are none, it is the value itself with its digits. */
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
