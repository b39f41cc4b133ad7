/** Bodies of other formats than JSON, and bodies that are read as they come. */
import { ids, json, text } from '../answers.mjs';
import { ALL, PLAIN } from '../columns.mjs';

const single = (job) => ({ api: {}, config: { jobs: [{ endpoint: 'levels', ...job }] } });

/** Large enough for several pages of a stream. */
const many = ids(1, 25_000, (id) => ({ cm: (id * 37) % 400, at: `2021-06-${String(1 + (id % 28)).padStart(2, '0')}` }));

export const formats = [
  {
    name: 'format-csv',
    config: single({ format: { type: 'csv', delimiter: ';' } }),
    answer: () => text('id;name\n007;"Mill; Weir"\n8;\n', 'text/csv'),
    to: ALL,
  },
  {
    name: 'format-jsonl',
    config: single({ format: 'jsonl' }),
    answer: () => text('{"id":1}\n{"id":9007199254740993}\n', 'application/x-ndjson'),
    to: PLAIN,
  },
  {
    name: 'format-xml',
    config: single({ format: 'xml', dataField: 'stations.station' }),
    answer: () =>
      text('<stations><station id="1"><name>Mill</name></station><station id="2"/></stations>', 'application/xml'),
    to: PLAIN,
  },
  {
    name: 'format-text',
    config: single({ format: 'text', dataField: '.' }),
    answer: () => text('all is well\n', 'text/plain'),
    to: PLAIN,
  },
  {
    name: 'stream-json',
    config: single({ stream: true, dataField: 'rows' }),
    answer: () => json({ rows: many, note: 'behind the items' }),
    to: ['stdout', 'ndjson', 'parquet', 'duckdb'],
  },
  {
    name: 'stream-jsonl',
    config: single({ stream: { pageItems: 5000 }, format: 'jsonl' }),
    answer: () => text(many.map((item) => `${JSON.stringify(item)}\n`).join(''), 'application/x-ndjson'),
    to: ['stdout', 'duckdb', 'extract'],
  },
  {
    name: 'stream-csv',
    config: single({ stream: { pageItems: 5000 }, format: 'csv', filter: 'cm>200' }),
    answer: () => text(`id,cm,at\n${many.map(({ id, cm, at }) => `${id},${cm},${at}\n`).join('')}`, 'text/csv'),
    to: ['stdout', 'csv', 'duckdb'],
  },
  {
    name: 'numbers',
    config: single({}),
    // By hand: these digits would not survive a number of JavaScript.
    answer: () =>
      text(
        '[{"n":9007199254740993,"d":0.10,"e":1e400,"s":"\\u00e9\\ud83d\\udea2","t":true,"z":null},' +
          '{"n":1,"d":123456789.123456789012345,"e":2,"s":"","t":false,"z":[1,{"a":2}]}]',
        'application/json',
      ),
    to: ALL,
  },
];
