/** What earlier runs left that a run goes on from, and what of it counts no more (docs/extensions/incremental.md). */
import type { DurableSink, Standing } from '../../core/durable-sink';
import { faultLine } from '../../core/errors/errors';
import type { Json, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import type { Tell } from '../../core/report';
import { borneOut } from './state-in-destinations';
import type { Counted } from './state-in-destinations';
import { withKnownJobs, withSameJobs } from './by-job';
import type { JobKeys } from './by-job';
import { commonState } from './common-state';
import { changedJobs, resetDestinations, resetJobs } from './incremental-warnings';
import { withoutFormerIterations } from './renewed-iterations';
import { withoutLostTables } from './lost-tables';
import type { CountedTables } from './lost-tables';

/** The configuration of a run, and where it goes. */
export interface Before {
  readonly document: Json;
  readonly fingerprint: string;
  readonly jobKeys: JobKeys;
  readonly outputs: readonly OutputPlan[];
  /** The destinations that have not committed the run, as they were found. */
  readonly found: readonly { readonly sink: DurableSink; readonly standing: Standing }[];
  /** What the last run of the configuration left, in all that a destination keeps. */
  readonly stateIn: (all: JsonObject) => JsonObject;
}

/**
 * The state that a run begins with, and which tables are gone. Whatever counts no more is told of.
 *
 * @param given a state that is kept elsewhere; absent: the destinations keep it
 * @throws FatalError DESTINATION_INCOMPATIBLE where the destinations do not stand at the same place
 * @example const { state } = await stateBefore(given, before, tell);
 */
export async function stateBefore(
  given: JsonObject | undefined,
  before: Before,
  tell: Tell,
): Promise<Pick<CountedTables, 'state' | 'gone'>> {
  const { found, outputs } = before;
  const known = given === undefined ? keptState(before) : givenState(given, before);
  const same = withoutFormerIterations(known.state, outputs);
  for (const fault of [...known.resets, ...same.resets]) tell('STATE_RESET', faultLine(fault));
  const { state, resets, emptied, gone } = await withoutLostTables(same.state, found, outputs);
  for (const fault of resets) tell('STATE_RESET', faultLine(fault));
  for (const fault of emptied) tell('TABLE_EMPTY', faultLine(fault));
  return { state, gone };
}

function keptState({ document, found, outputs, stateIn, ...configuration }: Before): Counted {
  const destinations = found.map(({ sink: { name }, standing }) => ({ name, standing }));
  const resets = resetDestinations(destinations, outputs, configuration);
  const [sinks, standings] = [found.map(({ sink }) => sink), found.map(({ standing }) => standing)];
  return { state: commonState(sinks, standings, document, stateIn), resets };
}

function givenState(given: JsonObject, { found, outputs, stateIn, jobKeys }: Before): Counted {
  const { state: same, changed } = withSameJobs(given, jobKeys);
  // Where nothing is kept, and where somebody else has the tables, a state is all that there is.
  const destinations = found
    .filter(({ sink: { keepsNothing = false, isLoadedByOthers = false } }) => !keepsNothing && !isLoadedByOthers)
    .map(({ sink: { name }, standing }) => ({ name, standing }));
  const { state, resets } = borneOut(same, destinations, outputs, stateIn);
  return {
    state,
    resets: [...resetJobs(withKnownJobs(given, given, jobKeys), outputs), ...changedJobs(changed, outputs), ...resets],
  };
}
