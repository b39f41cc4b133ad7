/**
 * An extraction as the head of a Node pipeline: pages → lines of JSON → gzip → a file. Each part waits for the one behind
 * it, and so do the requests: a full disk, or an error anywhere, ends the run.
 */
const { createReadStream, createWriteStream } = require('node:fs');
const { mkdtemp, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { createInterface } = require('node:readline');
const { pipeline } = require('node:stream/promises');
const { createGunzip, createGzip } = require('node:zlib');
const { extract, toNodeReadable } = require('headwater');
const { withExampleApi } = require('../library/with-example-api.cjs');

/** The items as the API wrote them: the bytes are found in the response and copied, nothing is parsed. */
async function* asLines(pages) {
  for await (const page of pages) yield page.lines();
}

async function save(config, path) {
  await pipeline(toNodeReadable(extract(config).pages()), asLines, createGzip(), createWriteStream(path));
}

async function readBack(path) {
  const lines = [];
  let bytes = 0;
  const unpacked = createReadStream(path).pipe(createGunzip());
  unpacked.on('data', (chunk) => (bytes += chunk.length));
  for await (const line of createInterface({ input: unpacked })) lines.push(line);
  return { lines, bytes };
}

module.exports = withExampleApi(
  'measurements.json',
  async (config) => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-'));
    const path = join(folder, 'measurements.ndjson.gz');
    try {
      await save(config, path);
      const { lines, bytes } = await readBack(path);
      console.log(`${lines.length} lines, ${bytes} bytes`);
      console.log(`first: ${lines.at(0)}`);
      console.log(`last: ${lines.at(-1)}`);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  { limitEvery: 0 },
);
