/** The file of an accepted run: JSON with one line for each item, so that a diff of two versions shows the changes. */
import { FatalError } from '../../core/errors/errors';
import { isList, isObject } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { ReplayedRun } from './replay-run';

const VERSION = 1;

/**
 * Returns a run as the text of a file, for {@link readAccepted}.
 *
 * @example await writeFile('rivers.expected.json', acceptedText((await replayRun(config, recording)).run))
 */
export function acceptedText({ jobs, tables, warnings, error }: ReplayedRun): string {
  const members = [
    `"version": ${VERSION}`,
    ...(error === undefined ? [] : [`"error": ${JSON.stringify(error)}`]),
    `"jobs": ${listOf(
      jobs.map(({ job, iteration, pages, items }) => {
        const rest = `"job": ${JSON.stringify(job)}, "iteration": ${iteration}, "pages": ${pages}`;
        return `{${rest}, "items": ${listOf(
          items.map((item) => stringifyJson(item)),
          6,
        )}}`;
      }),
      4,
    )}`,
    `"tables": ${listOf(tables.map(line), 4)}`,
    `"warnings": ${listOf(warnings.map(line), 4)}`,
  ];
  return `{\n  ${members.join(',\n  ')}\n}\n`;
}

const line = (value: object): string => JSON.stringify(value);

function listOf(lines: readonly string[], indent: number): string {
  if (lines.length === 0) return '[]';
  const before = `\n${' '.repeat(indent)}`;
  return `[${lines.map((each) => before + each).join(',')}\n${' '.repeat(indent - 2)}]`;
}

/**
 * Returns an accepted run from the text of its file.
 *
 * @throws FatalError CONFIG_UNREADABLE when it is no such file
 * @example differencesOf(readAccepted(await readFile('rivers.expected.json', 'utf8')), run)
 */
export function readAccepted(text: string): ReplayedRun {
  const json = parsed(text);
  if (!isAccepted(json)) throw new FatalError('CONFIG_UNREADABLE', NO_RUN);
  return json;
}

const NO_RUN =
  'This is not the file of an accepted run, or of another version of Headwater. Write it again with --update.';

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new FatalError('CONFIG_UNREADABLE', NO_RUN, { cause });
  }
}

function isAccepted(json: Json): json is Json & ReplayedRun {
  if (!isObject(json) || json['version'] !== VERSION) return false;
  const { jobs, tables, warnings, error } = json;
  return (
    isListOf(jobs, { job: 'string', iteration: 'number', pages: 'number', items: 'object' }) &&
    isListOf(tables, { name: 'string', columns: 'object', rows: 'number' }) &&
    isListOf(warnings, { code: 'string' }) &&
    (error === undefined || typeof error === 'string')
  );
}

/** Returns whether it is a list of objects with members of these types. */
const isListOf = (value: Json | undefined, types: Readonly<Record<string, string>>): boolean =>
  isList(value) &&
  value.every(
    (each) =>
      isObject(each) &&
      Object.entries(types).every(([name, type]) =>
        type === 'object' ? isList(each[name]) : typeof each[name] === type,
      ),
  );
