/** Runs with an id of the caller: each is committed once, however often it is started. */
import { ConfigurationError } from '../core/errors/errors';
import type { CommittedRun, DurableSink, Standing } from '../core/durable-sink';
import { merge } from '../core/json/objects';
import type { JsonObject } from '../core/model';
import { configurationIn } from '../language/configuration/fingerprint';
import { ownState } from '../sinks/state';

const LONGEST = 200;
/** Matches a text without control characters, line ends, or unpaired surrogates. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

const isRunId = (id: string): boolean => PRINTABLE.test(id) && Array.from(id).length <= LONGEST;

/**
 * Checks that a run may have this id in these destinations, before anything is opened.
 *
 * @throws ConfigurationError for an invalid id, and for destinations that keep no record of runs
 */
export function checkRunId(id: string, sinks: readonly DurableSink[]): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError([{ path: 'runId', message }]);
  };
  if (!isRunId(id))
    refuse(`expected 1 to ${LONGEST} printable characters, found ${JSON.stringify(id.slice(0, LONGEST))}`);
  const keeping = sinks.filter(keepsRuns);
  const forgetful = keeping.filter(({ committed }) => committed === undefined);
  if (forgetful.length > 0)
    refuse(
      `${namesOf(forgetful)} does not keep the ids of its runs, so that a run that was committed could come again. ` +
        'Give the sink a member "recordOf" (docs/sinks.md#sinks-of-your-own), or leave the run id out.',
    );
  if (keeping.length === 0)
    refuse(
      `${namesOf(sinks)} keeps no record of runs, so that nobody would know whether this one was made before. ` +
        'Name a destination that does, such as --to duckdb:FILE or --to ndjson:FOLDER, or leave the run id out.',
    );
}

const keepsRuns = ({ keepsNothing = false }: DurableSink): boolean => !keepsNothing;
const namesOf = (sinks: readonly DurableSink[]): string => [...new Set(sinks.map(({ name }) => name))].join(', ');

/** Returns the run of this id in each sink, all of them open, if it was ever committed to it. */
export async function committedIn(
  sinks: readonly DurableSink[],
  id: string,
): Promise<readonly (CommittedRun | undefined)[]> {
  const committed: (CommittedRun | undefined)[] = [];
  for (const sink of sinks) committed.push(await sink.committed?.(id));
  return committed;
}

/** Returns whether a run is done: each sink that keeps a record of runs has committed it. */
export const isCommitted = (sinks: readonly DurableSink[], committed: readonly (CommittedRun | undefined)[]): boolean =>
  sinks.some(keepsRuns) && sinks.every((sink, at) => !keepsRuns(sink) || committed[at] !== undefined);

/**
 * Returns the run that every destination has committed although its process ended before its success was reported: to report it is all
 * that is left to do.
 *
 * @returns its id; `undefined` where there is no such run of the configuration
 */
export function unreportedRun(
  sinks: readonly DurableSink[],
  standings: readonly Standing[],
  fingerprint: string,
): string | undefined {
  const kept = standings.filter((_, at) => sinks[at]?.keepsNothing !== true);
  const run = kept.flatMap(({ unreported }) => unreported ?? [])[0];
  if (run === undefined || configurationIn(run.fingerprint) !== configurationIn(fingerprint)) return undefined;
  const isOver = ({ finished, unfinished, damage }: Standing): boolean =>
    finished === run.id && unfinished === undefined && damage === undefined;
  return kept.every(isOver) ? run.id : undefined;
}

/**
 * Returns the state after a run that every destination committed before.
 *
 * @param given the state that is kept elsewhere than in the destinations; absent: they keep it
 */
export function stateAfter(
  id: string,
  standings: readonly Standing[],
  fingerprint: string,
  given: JsonObject | undefined,
): JsonObject {
  const kept = (isWanted: (standing: Standing) => boolean): JsonObject =>
    ownState(standings.find(isWanted)?.state ?? {}, fingerprint);
  if (given === undefined) return kept(({ finished }) => finished !== undefined);
  // The process may have ended after the last commit, before the state was stored elsewhere as well.
  return merge(
    given,
    kept(({ finished }) => finished === id),
  );
}
