/** Tells a page what a run does, about ten times a second, and never faster than the page reads. */
import type { ServerResponse } from 'node:http';
import { interval, startWith } from 'rxjs';
import type { Runs } from './runs';
import { NOTHING_SEEN } from './timeline';
import type { Told } from './wire';

const EVERY_MILLISECONDS = 100;
/** Something is told at least so often, so that a page notices when the server is gone. */
const QUIET_TURNS = 50;

/**
 * Writes lines until the page goes away. While it does not read, nothing is kept for it: it gets the sum later, and how many requests
 * it has not been told of one by one.
 *
 * @returns ends it
 */
export function tellEvents(response: ServerResponse, runs: Runs, write: (told: Told) => string): () => void {
  let number = -1;
  let seen = NOTHING_SEEN;
  let last = '';
  let quiet = 0;
  const subscription = interval(EVERY_MILLISECONDS)
    .pipe(startWith(0))
    .subscribe(() => {
      if (response.writableNeedDrain) return;
      const run = runs.current();
      if (run.number !== number) seen = NOTHING_SEEN;
      number = run.number;
      const timeline = runs.timeline();
      const { seen: next, ...fresh } = timeline.after(seen);
      seen = next;
      const told = { run, jobs: timeline.jobs(), ...fresh };
      const line = JSON.stringify(told);
      quiet = line === last ? quiet + 1 : 0;
      last = line;
      if (quiet % QUIET_TURNS !== 0) return;
      const at = run.startedAt === undefined ? 0 : (run.endedAt ?? Date.now()) - run.startedAt;
      response.write(`${write({ ...told, at })}\n`);
    });
  return () => subscription.unsubscribe();
}
