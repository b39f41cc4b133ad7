import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const BEGIN = '<!-- results: written by node bench/run.mjs --write -->';
const END = '<!-- end of the results -->';

/** Replaces the results in docs/performance.md. */
export function writeResults(parts) {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} has no place for the results: ${BEGIN} … ${END}`);
  writeFileSync(page, [text.slice(0, begin) + BEGIN, ...parts, text.slice(end)].join('\n\n'));
}
