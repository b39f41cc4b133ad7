import { parseData } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { Unreadable } from '../../language/parts/errors';
import { defineFormat } from '../../language/parts/format';
import { encoding, file } from './options';

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
  summary: 'Reads JSON, whatever the content type.',
  use: 'Use it to refuse other bodies: without a `format`, their content type may name another format.',
  options: { encoding, file },
  rules: [
    'Integers keep all digits. Keys keep their order, even if they look like numbers.',
    'Any other body is the error `API_NOT_JSON`. With a status in `api.http.ignoreErrors` it becomes `{"errorData": "<the body>"}`.',
  ],
  example: {
    about: 'A number beyond 2^53 keeps its digits:',
    config: { api: {}, config: { jobs: [{ endpoint: 'stations', format: 'json' }] } },
    exchanges: [{ request: 'GET /stations', response: '[{"sensor": 9007199254740993}]' }],
    items: [{ sensor: 9007199254740993n }],
  },
  isJson: true,
  showsEnd: true,
  read: readJson,
});

/** The format `text` (docs/language/formats/text.md): a body as it came, or the string of a login. */
export const text = defineFormat({
  name: 'text',
  label: 'text',
  summary: 'Reads the body as a string: an object with the key `data`.',
  use: 'Use it for plain text, such as a state or a version.',
  answer: 'Set `"dataField": "."`: the object is the only item.',
  options: { encoding, file },
  rules: ['The string stays as it came.'],
  example: {
    about: 'The body becomes one item:',
    config: { api: {}, config: { jobs: [{ endpoint: 'state', format: 'text', dataField: '.' }] } },
    exchanges: [{ request: 'GET /state', headers: { 'content-type': 'text/plain' }, response: 'all is well' }],
    items: [{ data: 'all is well' }],
  },
  read: (body) => ({ data: body }),
});
