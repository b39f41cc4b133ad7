/** What a preview keeps of the events of its run. */
import type { ToldError } from '../../core/errors/told-error';
import type { RunEvent } from '../../core/events';
import type { JobRef, Page } from '../../core/model';

/** What was seen of one job. */
export interface Seen {
  readonly pages: Page[];
  readonly warnings: string[];
  placeholders?: JobRef['placeholders'];
  /** Why its pagination ended. */
  because?: string;
  error?: ToldError;
}

/** What was seen of a run. */
export interface Collected {
  readonly hear: (event: RunEvent) => void;
  /** By the place of the job. */
  readonly of: (path: string) => Seen | undefined;
  readonly warnings: readonly string[];
  readonly startedAt: () => number;
}

/** @example events$.subscribe(collected.hear) */
export function createCollected(): Collected {
  const jobs = new Map<string, Seen>();
  const warnings: string[] = [];
  let startedAt = 0;
  const seen = (path: string): Seen => {
    const known = jobs.get(path) ?? { pages: [], warnings: [] };
    jobs.set(path, known);
    return known;
  };
  const hear = (event: RunEvent): void => {
    switch (event.type) {
      case 'run.started':
        startedAt = event.startedAt;
        break;
      case 'job.started': {
        const { path, placeholders } = event.job;
        if (placeholders !== undefined) seen(path).placeholders ??= placeholders;
        else seen(path);
        break;
      }
      case 'page.extracted':
        // A page that only says that something was submitted has no items, and never will.
        if (event.page.evidence?.place !== 'before') seen(event.page.job.path).pages.push(event.page);
        break;
      case 'pagination.stopped':
        seen(event.job.path).because = event.because;
        break;
      case 'job.failed':
        // The job above fails with the error of its child.
        if (jobIn(event.error)?.path === event.job.path) seen(event.job.path).error = event.error;
        break;
      case 'warning':
        (event.job === undefined ? warnings : seen(event.job.path).warnings).push(event.message);
        break;
      default:
    }
  };
  return { hear, of: (path) => jobs.get(path), warnings, startedAt: () => startedAt };
}

const jobIn = (error: ToldError): JobRef | undefined => ('job' in error ? error.job : undefined);
