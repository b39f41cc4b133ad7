import { basename, extname } from 'node:path';

/** What stands for the name of the configuration in values of options. */
const NAME = '{config}';

/** The name of a configuration: that of its file, without its extension. */
const nameOf = (path: string): string => (path === '-' ? 'stdin' : basename(path, extname(path)));

/**
 * The value of an option as one configuration has it: `{config}` in it is its name.
 *
 * @example nameIn('{config}.state', 'rivers/alder.yaml') // 'alder.state'
 */
export const nameIn = (value: string, path: string): string => value.replaceAll(NAME, () => nameOf(path));
