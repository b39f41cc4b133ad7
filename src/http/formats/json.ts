import { parseData } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { defineFormat } from '../../language/parts/format';
import { encoding, file } from './options';
import { Unreadable } from '../../language/parts/errors';

/**
 * Returns the value of a JSON text; its numbers keep their spelling.
 *
 * @throws Unreadable when the text is not JSON
 */
export function readJson(text: string): Json {
  try {
    return parseData(text, 'spelling');
  } catch (error) {
    throw new Unreadable(reasonOf(error));
  }
}

/**
 * Returns the reason without the quoted text: the engine appends the unmasked text around the error to its own words.
 */
const reasonOf = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '') : 'it cannot be read';

/** The format `json` (docs/language/formats/json.md, docs/language/responses.md#formats). */
export const json = defineFormat({
  name: 'json',
  label: 'JSON',
  summary: 'Reads a body as JSON, whatever its content type, without loss of digits.',
  use: 'The API answers with JSON; this is what happens without a `format`, too, but there the content type of a body that is no JSON may name another format.',
  answer: 'Any JSON, in UTF-8 or the encoding that it names.',
  options: { encoding, file },
  rules: [
    'The order of keys stays, also of keys that look like numbers.',
    'Integers keep all digits.',
    'A body that is no JSON is the error `API_NOT_JSON`; with a status in `api.http.ignoreErrors` it becomes `{"errorData": "<the text>"}`.',
  ],
  example: {
    about: 'A number beyond 2^53 arrives with all its digits.',
    config: { api: {}, config: { jobs: [{ endpoint: 'stations', format: 'json' }] } },
    exchanges: [{ request: 'GET /stations', response: '[{"sensor": 9007199254740993}]' }],
    items: [{ sensor: 9007199254740993n }],
  },
  isJson: true,
  showsEnd: true,
  read: readJson,
});
