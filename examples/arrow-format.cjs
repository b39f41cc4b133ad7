/**
 * A format of your own: Arrow files, by the package apache-arrow, which pandas, Polars and DuckDB read without parsing. It says how rows get
 * into a file and out of it; Headwater does the rest, as for its own formats: columns, keys, kills, and buckets of S3.
 *
 *     headwater run stations.json --components arrow-format.cjs --to arrow:out
 */
const { createReadStream, createWriteStream } = require('node:fs');
const { pipeline } = require('node:stream/promises');
const arrow = require('apache-arrow');
const { defineSink, formatSink } = require('headwater/components');

/** Times, and numbers of more digits, stay texts as the API spelled them. */
const TYPES = {
  boolean: new arrow.Bool(),
  integer: new arrow.Int32(),
  bigint: new arrow.Int64(),
  double: new arrow.Float64(),
};
const typeOf = ({ type }) => TYPES[type] ?? new arrow.Utf8();

/** Integers come as bigint. */
const valueIn = (cell, type) => (type === 'integer' && cell !== null ? Number(cell) : cell);
const cellOf = (value, type) => (type === 'integer' && value !== null ? BigInt(value) : value);

const format = {
  suffix: '.arrow',
  write: async (path, columns, pages) => {
    const schema = new arrow.Schema(columns.map((column) => new arrow.Field(column.name, typeOf(column), true)));
    async function* batches() {
      for await (const rows of pages) {
        const children = columns.map((column, at) => {
          const values = rows.map((cells) => valueIn(cells[at], column.type));
          return arrow.vectorFromArray(values, typeOf(column)).data[0];
        });
        const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: rows.length, children });
        yield new arrow.RecordBatch(schema, data);
      }
    }
    const writer = new arrow.RecordBatchFileWriter();
    writer.reset(undefined, schema);
    await Promise.all([pipeline(writer.toNodeStream(), createWriteStream(path)), writer.writeAll(batches())]);
  },
  read: async function* (path, columns) {
    for await (const batch of await arrow.RecordBatchReader.from(createReadStream(path)))
      yield Array.from({ length: batch.numRows }, (_, row) =>
        columns.map(({ type }, at) => cellOf(batch.getChildAt(at).get(row), type)),
      );
  },
};

module.exports = defineSink({
  kind: 'sink',
  name: 'arrow',
  summary: 'Arrow files in a folder or a bucket: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it for tools that read columns without parsing.',
  schemes: ['arrow'],
  address: ['arrow:FOLDER', 'arrow:s3://BUCKET/PREFIX'],
  example: 'arrow:out',
  makes: 'tables',
  options: {},
  create: ({ rest }, { outputs, warn }) => formatSink({ scheme: 'arrow', place: rest, format, outputs, warn }),
});
