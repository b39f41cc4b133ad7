// A consumer that takes its time over each page: node bench/slow-consumer.mjs CONFIG PAUSE_MS
// Prints when it had finished each page, in milliseconds of the clock that all processes share, as a JSON list.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { milliseconds } from './support/clock.mjs';
import { dist } from './support/headwater.mjs';

const { extract } = createRequire(import.meta.url)(dist);
const [config, pauseMs] = process.argv.slice(2);

const finished = [];
for await (const page of extract(JSON.parse(readFileSync(config, 'utf8'))).pages()) {
  await pause(Number(pauseMs));
  if (page.items.length > 0) finished.push(milliseconds());
}
console.log(JSON.stringify(finished));
