/** What of a state that is kept elsewhere the destinations have: what a job has come to counts where its rows are. */
import type { Fault } from '../../core/errors/errors';
import { isEarlier } from '../../core/json/furthest';
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { nearest } from './by-job';
import { CURSORS, cursorsOf } from './cursors';
import { jobsIn, sinceIn } from './incremental-warnings';
import type { FoundDestination } from './incremental-warnings';
import { previousStartOf, withPreviousStart } from './next-state';

/** A state, and what does not count any more. */
export interface Counted {
  readonly state: JsonObject;
  readonly resets: readonly Fault[];
}

/**
 * A state with no more than all destinations have: the rows of earlier runs may be in other destinations, or in none.
 *
 * @param stateIn what the last run of the configuration left, in all that a destination keeps
 */
export function borneOut(
  given: JsonObject,
  destinations: readonly FoundDestination[],
  outputs: readonly OutputPlan[],
  stateIn: (all: JsonObject) => JsonObject,
): Counted {
  let state = given;
  const resets: Fault[] = [];
  for (const destination of destinations) {
    const has = stateIn(destination.standing.state);
    const back = new Set(
      jobsIn(outputs)
        .map(({ id }) => id)
        .filter((id) => isAhead(state, has, id)),
    );
    const paths = jobsIn(outputs)
      .filter(({ id }) => back.has(id))
      .map(({ path }) => `${path}.incremental`);
    for (const id of back) state = withCursorsOf(state, id, (reached) => nearest(reached, cursorIn(has, id) ?? {}));
    if (sinceIn(outputs).length > 0 && previousStartOf(has) < previousStartOf(state)) {
      state = withPreviousStart(state, previousStartOf(has));
      paths.push(...sinceIn(outputs));
    }
    resets.push(...paths.map((path) => ({ path, message: message(destination) })));
  }
  return { state, resets };
}

const message = ({ name, standing: { forgotten, finished } }: FoundDestination): string => {
  if (forgotten !== undefined) return `asks for everything again: ${name}: ${forgotten}`;
  if (finished === undefined)
    return (
      `asks for everything: ${name} is new, and has nothing of what the state says that earlier runs have loaded. ` +
      'A place to begin at all the same is "initial" of the job.'
    );
  return (
    `asks from where ${name} has come to, which is less than the state says: other runs have filled it, those of this configuration before it ` +
    'was changed, or it was put back to an earlier time.'
  );
};

/** The state with other cursors of a job; a job that has come nowhere has none. */
export function withCursorsOf(state: JsonObject, job: string, of: (reached: Json) => Json): JsonObject {
  const jobs = ownValue(state, CURSORS);
  if (!isObject(jobs)) return state;
  const changed = entriesOf(jobs).flatMap(([id, reached]) => {
    const next = id === job ? of(reached) : reached;
    return isObject(next) && entriesOf(next).length === 0 ? [] : [[id, next] as const];
  });
  return withMember(state, CURSORS, objectFrom(changed));
}

const cursorIn = (state: JsonObject, job: string): Json | undefined => {
  const jobs = ownValue(state, CURSORS);
  return isObject(jobs) ? ownValue(jobs, job) : undefined;
};

/** This tells whether a job has come further in one state than in another, for any of its parents. */
function isAhead(state: JsonObject, other: JsonObject, job: string): boolean {
  const reached = cursorsOf(other).get(job);
  return [...(cursorsOf(state).get(job) ?? [])].some(([parent, value]) => {
    const there = reached?.get(parent);
    return there === undefined || isEarlier(there, value);
  });
}
