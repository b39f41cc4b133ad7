import { basename, extname } from 'node:path';
import { FatalError } from '../../index';
import type { RunFlags } from './flags';

/** What stands for the name of the configuration in values of options. */
const NAME = '{config}';

/** What cannot be the name of a file, or is another folder. Windows has devices under some names. */
const NO_NAME = /^\.*$|[. ]$|[\\/<>:"|?*]|\p{Cc}|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/**
 * The name of a configuration: that of its file, without its extension.
 *
 * @throws FatalError CONFIG_INVALID where that cannot be a part of a name
 */
function nameOf(path: string): string {
  const name = path === '-' ? 'stdin' : basename(path, extname(path));
  if (!NO_NAME.test(name)) return name;
  throw new FatalError(
    'CONFIG_INVALID',
    `{config} stands for the name of the file ${path} without its extension: ${JSON.stringify(name)} cannot be the name of a file or a folder everywhere. Give the file another name.`,
  );
}

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
