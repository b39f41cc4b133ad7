// The yardstick, what an engineer writes for one API in an afternoon: node bench/hand-loop.mjs BASE_URL LIMIT FILE
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Pool } from 'undici';

const [baseUrl, limitText, file] = process.argv.slice(2);
const limit = Number(limitText);
const pool = new Pool(new URL(baseUrl).origin);
const out = createWriteStream(file);

let more = true;
for (let offset = 0; more; offset += limit) {
  const { statusCode, body } = await pool.request({ method: 'GET', path: `/items?limit=${limit}&offset=${offset}` });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text}`);
  const { items } = JSON.parse(text);
  const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  if (!out.write(lines)) await once(out, 'drain');
  more = items.length === limit;
}
out.end();
await finished(out);
await pool.close();
