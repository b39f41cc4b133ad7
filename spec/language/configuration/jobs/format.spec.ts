import type { ChosenFormat } from '../../../../src/language/parts/format';
import { faults, job, mistakes, run, configuration, warnings, withJob } from '../support';

const CSV = { type: 'csv', delimiter: ',', quote: '"', header: true, skipLines: 0 };
const written = ({ name, options }: ChosenFormat) => ({ type: name, ...options });
const formatOf = (format: unknown) => {
  const chosen = job(withJob({ format })).format;
  return chosen && written(chosen);
};
const faultsOf = (format: unknown) => faults(withJob({ format }));

describe('format (docs/language/responses.md#formats)', () => {
  it.each([
    ['json', { type: 'json' }],
    ['xml', { type: 'xml' }],
    ['csv', CSV],
    ['jsonl', { type: 'jsonl' }],
    ['text', { type: 'text' }],
    [
      { type: 'xml', encoding: 'latin1' },
      { type: 'xml', encoding: 'windows-1252' },
    ],
    [
      { type: 'csv', delimiter: '\t', quote: '', header: false },
      { ...CSV, delimiter: '\t', quote: '', header: false },
    ],
    [
      { type: 'csv', delimiter: '', quote: "'", header: ['a', 'b'], skipLines: '2' },
      { ...CSV, quote: "'", header: ['a', 'b'], skipLines: 2 },
    ],
    ['', undefined],
    [null, undefined],
  ])('%j', (short, format) => {
    expect(formatOf(short)).toEqual(format);
    expect(warnings(withJob({ format: short }))).toEqual([]);
  });

  it('api.http.format is the format of all jobs', () => {
    expect(run(configuration({ http: { format: 'jsonl' } })).api.http.format).toMatchObject({
      name: 'jsonl',
      options: {},
    });
    expect(run(configuration()).api.http).not.toHaveProperty('format');
    expect(faults(configuration({ http: { format: 'yaml' } }))).toEqual([
      'api.http.format: expected one of csv, json, jsonl, text, xlsx, xml, found a string of 4 characters',
    ]);
  });

  it.each([
    ['jsonn', 'format: expected one of csv, json, jsonl, text, xlsx, xml, found "jsonn"; did you mean "json"?'],
    ['NDJSON', 'format: expected one of csv, json, jsonl, text, xlsx, xml, found "NDJSON"; did you mean "jsonl"?'],
    [
      'tsv',
      'format: expected one of csv, json, jsonl, text, xlsx, xml, found "tsv"; write {"type": "csv", "delimiter": "\\t"}',
    ],
    [5, 'format: expected one of csv, json, jsonl, text, xlsx, xml, or an object with "type", found 5'],
    [{ delimiter: ';' }, 'format.type: expected one of csv, json, jsonl, text, xlsx, xml, found nothing'],
    [
      { type: 'csv', delimiter: ';;' },
      'format.delimiter: expected the delimiter: one character, found a string of 2 characters',
    ],
    [
      { type: 'csv', quote: 'ab' },
      'format.quote: expected the quote, or an empty string for none: one character, found a string of 2 characters',
    ],
    [
      { type: 'csv', delimiter: '"' },
      'format: expected a delimiter that is not the quote, found a string of 1 character',
    ],
    [
      { type: 'csv', header: 'yes' },
      'format.header: expected true, false, or an array of the names of the columns, found a string of 3 characters',
    ],
    [{ type: 'csv', header: ['a', 'a'] }, 'format.header: expected names that differ: entries 0 and 1 are equal'],
    [{ type: 'csv', header: ['a', ''] }, 'format.header[1]: expected a string, found an empty string'],
    [{ type: 'csv', skipLines: -1 }, 'format.skipLines: expected an integer of 0 or more, found -1'],
    [
      { type: 'xml', encoding: 'klingon' },
      'format.encoding: expected an encoding such as "windows-1252" or "utf-16le", found a string of 7 characters',
    ],
  ])('%j is refused', (wrong, fault) => {
    expect(faultsOf(wrong)).toEqual([`config.jobs[0].${fault}`]);
  });

  it.each([
    [
      { type: 'xlsx', skipLines: 2 },
      'skipLines: has no effect with type xlsx: it is an option of csv; did you mean "skipRows"?',
    ],
    [
      { type: 'csv', skipRows: 2 },
      'skipRows: has no effect with type csv: it is an option of xlsx; did you mean "skipLines"?',
    ],
  ])('the option of another format that is called otherwise here is refused: %j', (format, fault) => {
    expect(mistakes(withJob({ format }))).toEqual([`config.jobs[0].format.${fault}`]);
  });

  it('options of another format, and unknown ones, are warnings', () => {
    const format = { type: 'xml', delimiter: ';', encodin: 'utf-8' };
    expect(warnings(withJob({ format }))).toEqual([
      'config.jobs[0].format.delimiter: has no effect with type xml: it is an option of csv',
      'config.jobs[0].format.encodin: has no effect: unknown key; did you mean "encoding"?',
    ]);
  });
});
