import type { RunEvent } from './events';

const ENDS: ReadonlySet<RunEvent['type']> = new Set(['run.finished', 'run.failed', 'run.cancelled', 'run.skipped']);

/** Whether the event is the last one of its run. */
export const endsRun = ({ type }: RunEvent): boolean => ENDS.has(type);
