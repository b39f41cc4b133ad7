import { BUILT_IN } from '../../../src/run/built-in-parts';
import type * as formats from '../../../src/http/formats/formats';

/** A name that the registry lacks does not compile. */
type FormatName = (typeof formats)[keyof typeof formats]['name'];
const LABELS = {
  csv: 'CSV',
  json: 'JSON',
  jsonl: 'JSON lines',
  text: 'text',
  xlsx: 'Excel',
  xml: 'XML',
} satisfies Record<FormatName, string>;

describe('the formats', () => {
  it('have names and labels', () => {
    expect(Object.fromEntries(Array.from(BUILT_IN.format, ([name, { label }]) => [name, label]))).toEqual(LABELS);
  });
});
