import { defineFormat } from '../../language/parts/format';
import { encoding, file } from './options';

/** The format `text` (docs/language/formats/text.md): a body as it came, or the string of a login. */
export const text = defineFormat({
  name: 'text',
  label: 'text',
  summary: 'Reads a body as a string: an object with the one key `data`.',
  use: 'The API answers with plain text, such as a state or a version.',
  answer: 'Anything; with `"dataField": "."` it is one item.',
  options: { encoding, file },
  rules: ['The string is kept as it came.', 'Without `dataField` there is no array to be found.'],
  example: {
    about: 'The body is the value `data` of the only item.',
    config: { api: {}, config: { jobs: [{ endpoint: 'state', format: 'text', dataField: '.' }] } },
    exchanges: [{ request: 'GET /state', headers: { 'content-type': 'text/plain' }, response: 'all is well' }],
    items: [{ data: 'all is well' }],
  },
  read: (body) => ({ data: body }),
});
