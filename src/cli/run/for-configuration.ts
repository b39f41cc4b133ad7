import { nameIn } from '../name-in';
import type { RunFlags } from './flags';

/**
 * The flags as one configuration has them: `{config}` in places is its name.
 *
 * @example flagsFor('rivers/alder.yaml', { ...flags, state: '{config}.state' }).state // 'alder.state'
 */
export function flagsFor(path: string, flags: RunFlags): RunFlags {
  const filled = (text: string): string => nameIn(text, path);
  const { state, record, replay, runId, to } = flags;
  return {
    ...flags,
    ...(state === undefined ? {} : { state: filled(state) }),
    ...(record === undefined ? {} : { record: filled(record) }),
    ...(replay === undefined ? {} : { replay: filled(replay) }),
    ...(runId === undefined ? {} : { runId: filled(runId) }),
    ...(to === undefined ? {} : { to: to.map(filled) }),
  };
}
