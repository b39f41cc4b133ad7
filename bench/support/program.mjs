import { realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { barTable, resultText } from './tables.mjs';

/** Stands in place of the bars when there was too little of everything to compare. */
export const QUICK = 'A quick run: the outputs are right. Its figures say nothing.';

/** Options of the command line by their defaults: `{ pages: 200 }` allows `--pages 20`, `{ rivals: false }` `--rivals`. */
export function optionsFrom(defaults, args) {
  const types = Object.entries(defaults).map(([name, value]) => [
    dashed(name),
    { type: typeof value === 'boolean' ? 'boolean' : 'string' },
  ]);
  const { values } = parseArgs({ args, options: Object.fromEntries(types) });
  const given = Object.keys(defaults).flatMap((name) => {
    const value = values[dashed(name)];
    return value === undefined ? [] : [[name, typeof defaults[name] === 'number' ? Number(value) : value]];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}

const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Runs a benchmark whose file is the program, and prints its result. */
export async function ifMain({ filename }, benchmark, defaults, quick) {
  const [, program] = process.argv;
  if (program === undefined || filename !== realpathSync(program)) return;
  const { quick: isQuick, ...options } = optionsFrom({ ...defaults, quick: false }, process.argv.slice(2));
  const result = await benchmark(isQuick ? { ...options, ...quick } : options);
  console.log([resultText(result), isQuick ? QUICK : barTable(result.bars)].join('\n\n'));
}
