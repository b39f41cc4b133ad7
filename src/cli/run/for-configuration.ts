import { basename, extname } from 'node:path';
import type { RunFlags } from './flags';

/** What stands for the name of the configuration in values of options. */
const NAME = '{config}';

/** The name of a configuration: that of its file, without its extension. */
const nameOf = (path: string): string => (path === '-' ? 'stdin' : basename(path, extname(path)));

/**
 * The flags as one configuration has them: `{config}` in places is its name.
 *
 * @example flagsFor('rivers/alder.yaml', { ...flags, state: '{config}.state' }).state // 'alder.state'
 */
export function flagsFor(path: string, flags: RunFlags): RunFlags {
  const filled = (text: string): string => text.replaceAll(NAME, () => nameOf(path));
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
