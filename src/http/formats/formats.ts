/** The formats of responses (docs/language/responses.md#formats), one line each. */
export { csv } from './csv';
export { json } from './json';
export { jsonl } from './jsonl';
export { text } from './json';
export { xml } from './xml';
export { xlsx } from './xlsx';
