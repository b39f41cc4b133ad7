import { defineSink } from '../define-sink';
import { transient } from '../transient';
import { ndjsonFolder } from './folder';
import { ndjson as lines } from './stream';

export interface NdjsonSinkOptions {
  /** Items on standard output bear their dataType; default false. */
  readonly tag?: boolean;
  /** They bear what tables add to items as well, such as `parent_id`, as `extra`; default false. */
  readonly tagExtra?: boolean;
}

/** The address of standard output. */
const STANDARD_OUTPUT = '-';

export const ndjson = defineSink({
  kind: 'sink',
  name: 'ndjson',
  summary:
    'Items as lines of JSON in the spelling of the API, on standard output or in a folder with one file a dataType.',
  use: 'Choose it for pipes, for programs that read JSON, and where each digit has to stay as the API wrote it.',
  schemes: ['ndjson'],
  address: ['ndjson:-', 'ndjson:FOLDER'],
  example: 'ndjson:out',
  rules: [
    'On standard output, lines are written as pages arrive, and no run goes on.',
    'In a folder, a commit replaces files that are complete; where tables of several buckets meet, a file is named <bucket>.<dataType>.ndjson.',
    'With incrementalOutput, lines are added; with a primary key, a line takes the place of older ones with the same key.',
  ],
  makes: 'tables',
  create: ({ url, rest }, { outputs }, { tag = false, tagExtra = false }: NdjsonSinkOptions) =>
    rest === STANDARD_OUTPUT ? transient(url, lines(process.stdout, { tag, tagExtra })) : ndjsonFolder(rest, outputs),
});
