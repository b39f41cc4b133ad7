/** Iterations that secrets alone tell apart, and of which the last runs had others: nobody knows which is which. */
import type { Fault } from '../../core/errors/errors';
import { entriesOf, isObject, objectFrom } from '../../core/json/keys';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import type { Counted } from './state-in-destinations';
import { withCursorsOf } from './state-in-destinations';
import { cursorsOf } from './cursors';

/**
 * A state without what iterations came to that are there no more, where there are new ones that differ from them by secrets alone: these
 * begin anew, and are told of.
 *
 * @param outputs one for each iteration
 */
export function withoutFormerIterations(state: JsonObject, outputs: readonly OutputPlan[]): Counted {
  let left = state;
  const resets = new Map<number, Fault>();
  const jobs = outputs.flatMap(({ incrementalJobs = [] }, at) => incrementalJobs.map((job) => ({ ...job, at })));
  for (const [id, parents] of cursorsOf(state)) {
    const now = jobs.flatMap(({ id: own, at, iteration }) =>
      own === id && iteration !== undefined ? { at, iteration } : [],
    );
    const known = new Set(Array.from(parents.keys(), nameIn));
    const fresh = now.filter(({ iteration }) => !known.has(iteration));
    const isFormer = (name: string): boolean =>
      !now.some(({ iteration }) => iteration === name) &&
      fresh.some(({ iteration }) => digestIn(iteration) === digestIn(name));
    const former = new Set([...known].filter(isFormer));
    if (former.size === 0) continue;
    for (const { at, iteration } of fresh)
      if ([...former].some((name) => digestIn(name) === digestIn(iteration)))
        resets.set(at, { path: `iterations[${at}]`, message: MESSAGE });
    left = withCursorsOf(left, id, (reached) =>
      isObject(reached) ? objectFrom(entriesOf(reached).filter(([parent]) => !former.has(nameIn(parent)))) : reached,
    );
  }
  return { state: left, resets: [...resets.values()] };
}

const MESSAGE =
  'asks for everything: only its secrets tell it from other iterations of this run or of earlier ones, and no earlier run had them here. ' +
  'That is so where a secret was renewed, and where iterations come and go. Give each iteration a value that is no secret, such as ' +
  '"account": "a": then it goes on from where it was.';

/** The name of the iteration at the beginning of the name of a parent. */
const nameIn = (parent: string): string => parent.split('{', 1)[0] ?? '';

/** What tells iterations apart without their secrets. */
const digestIn = (iteration: string): string => iteration.split('.', 1)[0] ?? '';
