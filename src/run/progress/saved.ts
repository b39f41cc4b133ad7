/** How far a run is, as data that another process can go on with. */
import { FatalError } from '../../core/errors/errors';
import type { ExtractOptions } from '../extract';
import { isList, isObject } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Checkpoint, Json, Page } from '../../core/model';
import { createEvidenceTracker } from '../../sources/completeness/evidence-tracker';
import type { JobEvidence } from '../../sources/completeness/evidence-tracker';
import { createProgressTracker } from '../state/progress';

/** How far a run is: plain JSON, which may hold data of the API, and addresses that it gave. */
export interface SavedProgress {
  readonly version: 1;
  /** Tells runs apart that ask for different data: only one of the same goes on. */
  readonly fingerprint: string;
  /** When the run started: Unix seconds. */
  readonly startedAt: number;
  /** How many pages are safe. */
  readonly pages: number;
  /** Where the calls stand that are not over for good. */
  readonly checkpoints: readonly Checkpoint[];
  /** What the pages that are safe tell of the completeness of their jobs. */
  readonly evidence: Json;
}

/** Adds up the pages of a run that are safe. */
export interface RunProgress {
  /** Adds a page; pages are added in the order in which they came. */
  readonly add: (page: Page<unknown>) => void;
  readonly saved: () => SavedProgress;
  /** What goes on with the run, as the option `resume` of `extract` takes it. */
  readonly resume: () => NonNullable<ExtractOptions['resume']>;
}

/** What a run is when none of its pages is safe. */
export const noProgress = (fingerprint: string, startedAt: number): SavedProgress => ({
  ...{ version: 1, fingerprint, startedAt, pages: 0, checkpoints: [], evidence: [] },
});

/**
 * Adds up the checkpoints of pages, from what was saved before.
 *
 * @example
 * const progress = createProgress(saved);
 * progress.add(page);
 * await store.save(progress.saved());
 */
export function createProgress(from: SavedProgress = noProgress('', Math.floor(Date.now() / 1000))): RunProgress {
  const tracker = createProgressTracker();
  for (const checkpoint of from.checkpoints) tracker.add(checkpoint);
  const evidence = createEvidenceTracker(evidenceFrom(from.evidence));
  let { pages } = from;
  return {
    add: (page) => {
      pages += 1;
      tracker.add(page.checkpoint);
      // Only what the page tells of its items is looked at, and that is not decoded.
      evidence.addPage(page as Page);
    },
    saved: () => ({
      ...{ version: 1, fingerprint: from.fingerprint, startedAt: from.startedAt, pages },
      checkpoints: [...tracker.progress().values()],
      evidence: evidence.jobs().map(evidenceJson),
    }),
    resume: () => ({ startedAt: from.startedAt, progress: tracker.progress(), evidence: evidence.copy() }),
  };
}

const evidenceJson = (job: JobEvidence): Json =>
  parseJson(
    stringifyJson({
      ...job,
      unmet: [...job.unmet],
      met: [...job.met],
      windows: [...job.windows],
      doubts: [...job.doubts],
    }),
  );

/** What {@link evidenceJson} has made. */
const evidenceFrom = (json: Json): readonly JobEvidence[] =>
  (isList(json) ? json : []).map((job) => job as unknown as JobEvidence);

/** @example progressText(progress.saved()) */
export const progressText = (saved: SavedProgress): string => stringifyJson(saved as unknown as Json);

/**
 * Reads what {@link progressText} has made.
 *
 * @param place where it stands, for messages
 * @throws FatalError JOURNAL_DAMAGED
 */
export function progressFrom(text: string, place: string): SavedProgress {
  const found = read(text);
  if (found !== undefined && isObject(found) && found['version'] === 1 && isList(found['checkpoints']))
    return found as unknown as SavedProgress;
  const message = `The progress in ${place} is not as it was saved. Remove it to begin anew.`;
  throw new FatalError('JOURNAL_DAMAGED', message);
}

function read(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
