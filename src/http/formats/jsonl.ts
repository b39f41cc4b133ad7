import { isList, isObject } from '../../core/json/objects';
import { noteLiterals } from '../../core/json/literals';
import type { Json } from '../../core/model';
import { blockOf } from '../../core/json/item-reader';
import type { ItemBlock, ItemReader } from '../../core/json/item-reader';
import { skipValue } from '../../core/json/skip-value';
import { brokenUnless, LineBlocks } from './streaming';
import { defineFormat } from '../../language/parts/format';
import type { TextOf } from '../../language/parts/format';
import { encoding, file } from './options';
import { readJson } from './json';
import { Unreadable } from '../../language/parts/errors';

/**
 * Returns one value for each line; lines of white space are skipped.
 *
 * @throws Unreadable with the number of the line that is not JSON, and for one array of objects, which is JSON
 * @example readJsonLines('{"id":1}\n{"id":2}\n') // [{ id: 1 }, { id: 2 }]
 */
export function readJsonLines(text: string): readonly Json[] {
  const values = listOf(text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }])));
  const [only] = values;
  if (values.length === 1 && isList(only) && only.some(isObject))
    throw new Unreadable('it is one array of JSON, and not a value in each line: leave "format" out');
  return values;
}

/** Returns the values as an array. Lines that are plain numbers also keep their digits. */
function listOf(lines: readonly { readonly line: string; readonly number: number }[]): readonly Json[] {
  const spelled = new Map<string, string>();
  const values = lines.map(({ line, number }, at) => {
    const value = readLine(line, number);
    if (typeof value === 'number' || typeof value === 'bigint') spelled.set(String(at), line.trim());
    return value;
  });
  if (spelled.size > 0) noteLiterals(values, spelled);
  return values;
}

function readLine(line: string, number: number): Json {
  try {
    return readJson(line);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`line ${number}: ${error.message}`);
    throw error;
  }
}

/** Reads lines as they arrive. Each is parsed alone, because two broken ones may form JSON together. */
function streamJsonLines(textOf: TextOf): ItemReader {
  const blocks = new LineBlocks();
  let number = 0;
  const itemsOf = (block: Uint8Array): ItemBlock =>
    blockOf(
      textOf(block)
        .split('\n')
        .slice(0, -1)
        .flatMap((text) => {
          number += 1;
          const line = text.replace(/^\uFEFF/, '').trim();
          if (line === '') return [];
          const bytes = Buffer.from(line);
          if (skipValue(bytes, 0, { space: false, unusual: false }) !== bytes.length)
            brokenUnless(() => readLine(line, number));
          return [line];
        }),
    );
  return {
    push: (bytes) => blocks.push(bytes).map(itemsOf),
    end: () => [itemsOf(Buffer.concat([blocks.rest(), LINE_END]))],
  };
}

const LINE_END = Buffer.from('\n');

/** JSON lines, or NDJSON (docs/language/responses.md#formats). */
export const jsonl = defineFormat({
  name: 'jsonl',
  label: 'JSON lines',
  summary: 'Reads one JSON value per line.',
  use: 'Use it for NDJSON and JSON Lines. Without it, a single line is one JSON value.',
  answer: 'The lines are the items, without `dataField`.',
  options: { encoding, file },
  rules: [
    'Numbers keep their digits. Empty lines are skipped.',
    'A line that is no JSON is the error `API_FORMAT`, with its number. So is a body that is one array of objects.',
  ],
  example: {
    about: 'Two lines, two items:',
    config: { api: {}, config: { jobs: [{ endpoint: 'levels', format: 'jsonl' }] } },
    exchanges: [
      {
        request: 'GET /levels',
        headers: { 'content-type': 'application/x-ndjson' },
        response: '{"id": 1}\n{"id": 2}\n',
      },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  contentTypes: [
    {
      type: /^(?:text|application)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/,
      begins: /^\s*[^\s<]/,
      options: {},
    },
  ],
  otherNames: { ndjson: {}, jsonlines: {}, 'json-lines': {} },
  read: readJsonLines,
  stream: (_, textOf) => streamJsonLines(textOf),
});
