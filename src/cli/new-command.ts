import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { describe, EXIT, statusOf } from './exit-status';
import { print } from './output';

/** The folder of the catalogue, relative to dist/cli and to src/cli. */
const CATALOGUE = join(__dirname, '..', '..', 'catalogue');

const OF_AIRBYTE =
  'Published sources of Airbyte: "headwater new airbyte:NAME", such as airbyte:square. docs/airbyte-sources.md lists them.';

/**
 * `headwater new [NAME] [FILE]`: writes the configuration of a server from the catalogue, and prints what to change in it; without a name
 * it lists the servers. Returns the exit status.
 *
 * @param file the file to write, `-` for standard output; an existing file is not overwritten
 */
export function newCommand(name?: string, file = `${name ?? ''}.json`): number {
  try {
    const names = catalogue();
    if (name === undefined) {
      print(`${listOf(names)}\n${OF_AIRBYTE}\n`);
      return EXIT.success;
    }
    if (!names.includes(name)) {
      const likely = closest(name, names);
      return refused(
        `The catalogue has no "${name}"; did you mean "${likely}"? "headwater new" lists all. ${OF_AIRBYTE}`,
      );
    }
    const configuration = read(`${name}.json`);
    if (file === '-') {
      print(configuration);
      return EXIT.success;
    }
    const fault = written(file, configuration);
    if (fault !== undefined) return refused(fault);
    print(`${file} is written.\n\n${read(`${name}.md`)}\nThen: headwater run ${file}\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

/** Returns the names of its servers. */
export const catalogue = (): readonly string[] =>
  readdirSync(CATALOGUE)
    .filter((each) => each.endsWith('.json'))
    .map((each) => each.slice(0, -'.json'.length))
    .sort();

const read = (path: string): string => readFileSync(join(CATALOGUE, path), 'utf8');

/** Returns a list with one line for each server: its name, and the first sentence of its page. */
function listOf(names: readonly string[]): string {
  const widest = Math.max(...names.map(({ length }) => length));
  return names.map((name) => `${name.padEnd(widest)}  ${read(`${name}.md`).split('\n')[2] ?? ''}\n`).join('');
}

/** Writes a new file, and no other; returns the error if that fails. */
export function written(path: string, text: string): string | undefined {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EEXIST'
      ? `${path} is there already, and is left as it is: name another file.`
      : `${path} cannot be written: ${message}`;
  }
}

export function refused(message: string): number {
  process.stderr.write(`${message}\n`);
  return EXIT.userError;
}
