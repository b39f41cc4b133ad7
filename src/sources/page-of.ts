import type { Checkpoint, Page } from '../model';
import { checkpointAfter } from './checkpoint';
import type { Made } from './checkpoint';
import { cursorOf, secondsNow } from './job-run';
import type { JobRun } from './job-run';
import { pagesBefore } from './submitted';
import type { Turn } from './turn';

/** Items are left unparsed, and the checkpoint unmade: who never reads them does not pay for them. It is made once. */
export function pageOf(running: JobRun, turn: Turn, made: Made): Page {
  const { found, reply, delivered } = made;
  let checkpoint: Checkpoint | undefined;
  return {
    iteration: running.context.iteration,
    job: running.ref,
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
      checkpoint ??= checkpointAfter(running, turn, made, secondsNow());
      return checkpoint;
    },
  };
}
