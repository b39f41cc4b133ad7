// The yardstick of items in an application, by hand: node bench/hand-embedded.mjs BASE_URL children|pages NUMBER
// It parses what it gets, looks at each item, and writes nothing. NUMBER is how many at once, or items a page.
import { from, lastValueFrom, mergeMap, tap } from 'rxjs';
import { Pool } from 'undici';

const [baseUrl, kind, numberText] = process.argv.slice(2);
const number = Number(numberText);
const pool = new Pool(new URL(baseUrl).origin, kind === 'children' ? { connections: number } : {});

async function get(path) {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text}`);
  return JSON.parse(text);
}

let [count, sum] = [0, 0];
const look = (item) => {
  count += 1;
  sum += Object.keys(item).length;
};

if (kind === 'children') {
  const { items } = await get('/ids');
  items.forEach(look);
  await lastValueFrom(
    from(items).pipe(
      mergeMap(({ id }) => get(`/children/${id}`), number),
      tap(look),
    ),
  );
} else {
  let more = true;
  for (let offset = 0; more; offset += number) {
    const { items } = await get(`/items?limit=${number}&offset=${offset}`);
    items.forEach(look);
    more = items.length === number;
  }
}
console.log(`${count} items, ${sum} members`);
await pool.close();
