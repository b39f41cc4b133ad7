import { defineFormat } from '../../language/parts/format';
import { encoding, file } from './options';

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
