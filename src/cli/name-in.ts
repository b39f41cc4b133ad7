import { basename, extname } from 'node:path';
import { FatalError } from '..';

/** What stands for the name of the configuration in values of options. */
const NAME = '{config}';

/** What cannot be the name of a file, or is another folder. Windows has devices under some names. */
const NO_NAME = /^\.*$|[. ]$|[\\/<>:"|?*]|\p{Cc}|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/** The name of a configuration: that of its file, without its extension. */
function nameOf(path: string): string {
  const name = path === '-' ? 'stdin' : basename(path, extname(path));
  if (!NO_NAME.test(name)) return name;
  throw new FatalError(
    'CONFIG_INVALID',
    `{config} stands for the name of the file ${path} without its extension: ${JSON.stringify(name)} cannot be the name of a file or a folder everywhere. Give the file another name.`,
  );
}

/**
 * The value of an option as one configuration has it: `{config}` in it is its name.
 *
 * @throws FatalError CONFIG_INVALID where that cannot be a part of a name
 * @example nameIn('{config}.state', 'rivers/alder.yaml') // 'alder.state'
 */
export const nameIn = (value: string, path: string): string => value.replaceAll(NAME, () => nameOf(path));
