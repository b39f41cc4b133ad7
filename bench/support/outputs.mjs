// Whether an output holds the items that the server sent, each of them once, in whatever order.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { itemAt, PREPARED } from './items.mjs';

/** Counts items and adds up a checksum of each. The order of keys and of items makes no difference. */
function tally() {
  let count = 0;
  let sum = 0;
  return {
    add(item) {
      const canonical = JSON.stringify(
        Object.keys(item)
          .sort()
          .map((key) => [key, item[key]]),
      );
      count += 1;
      sum = (sum + createHash('sha1').update(canonical).digest().readUIntBE(0, 6)) % 2 ** 48;
    },
    result: () => `${count} items, checksum ${sum.toString(16)}`,
  };
}

/** What an output of the first `count` items must hold, by way of `form`. `perPage` says when prepared pages come again. */
export function expected(count, { perPage = Infinity, form = (item) => item } = {}) {
  const all = tally();
  const different = PREPARED * perPage;
  for (let number = 0; number < count; number += 1) all.add(form(itemAt(number % different)));
  return all.result();
}

/** What an output of these items must hold. */
export function tallyOf(items) {
  const all = tally();
  for (const item of items) all.add(item);
  return all.result();
}

const linesOf = (path) => createInterface({ input: createReadStream(path), crlfDelay: Infinity });

const withoutOwn = (key, value) => (key.startsWith('_') ? undefined : value);

/**
 * Items of newline-delimited JSON files. Keys that begin with an underscore are the writer's own.
 *
 * @param itemOf the item that a line holds, `undefined` for none
 */
export async function ofNdjson(paths, itemOf = (line) => line) {
  const all = tally();
  for (const path of paths)
    for await (const line of linesOf(path)) {
      const item = itemOf(JSON.parse(line, withoutOwn));
      if (item !== undefined) all.add(item);
    }
  return all.result();
}

const cells = (line) => line.slice(1, -1).split('","');
const asText = (value) => (value === true ? '1' : value === false ? '' : String(value));

/** An item as CSV can say it: every value a text. */
export const textItem = ({ tags, ...scalars }) => ({
  ...Object.fromEntries(Object.entries(scalars).map(([key, value]) => [key, asText(value)])),
  tags,
});

/** Items of `items.csv` with their lists from `items_tags.csv`, which has the rows in the same order. */
export async function ofCsv(folder) {
  const all = tally();
  const children = linesOf(join(folder, 'items_tags.csv'))[Symbol.asyncIterator]();
  const nextChild = async () => cells((await children.next()).value ?? '');
  const dataAt = (await nextChild()).indexOf('data');
  let child = await nextChild();
  let header;
  for await (const line of linesOf(join(folder, 'items.csv'))) {
    const row = cells(line);
    if (header === undefined) header = row;
    else {
      const item = Object.fromEntries(header.map((name, at) => [name, row[at]]));
      const tags = [];
      for (; child[1 - dataAt] === item.tags; child = await nextChild()) tags.push(child[dataAt]);
      all.add({ ...item, tags });
    }
  }
  return all.result();
}
