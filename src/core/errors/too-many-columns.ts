import { FatalError } from './errors';

const KEYS_SHOWN = 3;
const LONGEST_KEY = 40;

/**
 * The error for a table with too many columns, as objects make whose keys are data.
 *
 * @param most columns that are allowed
 * @param keys of items; a few are shown
 * @param remedy how to have more, if there is a way
 */
export function tooManyColumns(table: string, most: number, keys: readonly string[], remedy = RAISE): FatalError {
  const short = (key: string): string =>
    JSON.stringify(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);
  const shown = [...new Set([...keys.slice(0, 1), ...keys.slice(1 - KEYS_SHOWN)])].map(short).join(', ');
  const what = `The table ${JSON.stringify(table)} would get more than ${most.toLocaleString('en')} columns`;
  const message = `${what}: its items have keys such as ${shown}. Nothing was stored, and the pages are kept. ${remedy} ${FOLD}`;
  return new FatalError('TABLE_COLUMNS', message, { table });
}

const RAISE = 'If these are columns, raise config.maxColumns, and go on with --resume.';
const FOLD =
  'If they are data, such as ids or dates, name the object that has them in responseFilter of the job: it is then one column of JSON. ' +
  'Items as they are can be stored with --to ndjson:FOLDER.';
