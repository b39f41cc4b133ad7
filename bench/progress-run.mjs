// One run by the library, for bench/progress.mjs: node bench/progress-run.mjs CONFIG DESTINATION silent|counted [ITEMS]
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { dist } from './support/headwater.mjs';

const { deliver, destinationOf, NO_RUN, snapshotAfter } = createRequire(import.meta.url)(join(dist, 'index.js'));
const [config, to, how, items = ''] = process.argv.slice(2);

let snapshot = NO_RUN;
const receive = (event) => {
  snapshot = snapshotAfter(snapshot, event, Date.now());
};
await deliver(
  JSON.parse(readFileSync(config, 'utf8')),
  [destinationOf(to, {})],
  how === 'counted' ? { onEvent: receive } : {},
);
if (how === 'counted' && items !== '' && snapshot.items !== Number(items))
  throw new Error(`${snapshot.items} items were counted of ${items}`);
