import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pageOf = (name) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const END = '<!-- end of the results -->';

/** Replaces the results in docs/performance.md. */
export const writeResults = (parts) => writeInto('performance.md', 'node bench/run.mjs --write', parts);

/** Replaces those in docs/comparison-dlt.md. */
export const writeComparison = (parts) => writeInto('comparison-dlt.md', 'node bench/compare-dlt.mjs --write', parts);

function writeInto(name, command, parts) {
  const page = pageOf(name);
  const begin = `<!-- results: written by ${command} -->`;
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the results: ${begin} … ${END}`);
  writeFileSync(page, [text.slice(0, from) + begin, ...parts, text.slice(to)].join('\n\n'));
}

/** What docs/performance.md says was measured, by the first cell of its row. */
export function measuredIn(what) {
  const row = readFileSync(pageOf('performance.md'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} `));
  const value = Number(row?.split('|')[3]);
  if (Number.isFinite(value)) return value;
  throw new Error(`docs/performance.md has no figure for: ${what}`);
}
