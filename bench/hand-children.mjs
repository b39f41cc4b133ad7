// The yardstick for small requests, by hand: node bench/hand-children.mjs BASE_URL AT_ONCE FILE
// Reads the parents, then asks for the child of each, AT_ONCE at a time, and writes a line an item.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Pool } from 'undici';

const [baseUrl, atOnce, file] = process.argv.slice(2);
const pool = new Pool(new URL(baseUrl).origin, { connections: Number(atOnce) });
const out = createWriteStream(file);

async function get(path) {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text}`);
  return JSON.parse(text);
}

async function write(item) {
  if (!out.write(`${JSON.stringify(item)}\n`)) await once(out, 'drain');
}

const { items: parents } = await get('/ids');
for (const parent of parents) await write(parent);
const left = parents.values();
const worker = async () => {
  for (const { id } of left) await write(await get(`/children/${id}`));
};
await Promise.all(Array.from({ length: Number(atOnce) }, worker));
out.end();
await finished(out);
await pool.close();
