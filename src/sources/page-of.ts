import type { Checkpoint, Page } from '../core/model';
import { checkpointAfter } from './checkpoint';
import type { AcceptedPage, Made } from './checkpoint';
import { withItems } from './completeness/page-evidence';
import { cursorOf, secondsNow } from './job-run';
import type { JobRun } from './job-run';
import { pagesBefore } from './submitted';
import type { Turn } from './call-state';

/** A page with what the job makes of its items, and its evidence: that of an asynchronous job says which page is the first. */
export function madeOf(running: JobRun, { pages }: Turn, { reply, found, next, evidence }: AcceptedPage): Made {
  const { plan, shape, sought, submitted } = running;
  const delivered = shape(found);
  if (plan.children.some(({ filter }) => filter !== undefined))
    for (const item of delivered.items) {
      sought.look('children', item);
      sought.look('passes', item);
    }
  const ofItems = withItems(evidence, delivered.shaped, sought.found());
  const isPlaced = submitted !== undefined && pages === 0;
  const parents = plan.children.length === 0 ? {} : { parents: Buffer.from(delivered.lines()).toString() };
  return { reply, found, next, delivered, ...parents, evidence: isPlaced ? { ...ofItems, place: 'first' } : ofItems };
}

/** Items are left unparsed, and the checkpoint unmade: who never reads them does not pay for them. It is made once. */
export function pageOf(running: JobRun, turn: Turn, made: Made): Page {
  const { found, reply, delivered } = made;
  let checkpoint: Checkpoint | undefined;
  return {
    iteration: running.context.iteration,
    job: running.ref,
    table: running.plan.table,
    index: turn.pages + pagesBefore(running),
    count: delivered.count,
    get items() {
      return delivered.items;
    },
    lines: delivered.lines,
    extra: running.extra,
    reply,
    get cursor() {
      return cursorOf(running, found);
    },
    evidence: made.evidence,
    get checkpoint() {
      checkpoint ??= checkpointAfter(running, turn, made, secondsNow(running.context));
      return checkpoint;
    },
  };
}
