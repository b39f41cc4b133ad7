// Reads the items of a configuration as an application does: node bench/embedded.mjs DIST CONFIGURATION
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, configuration] = process.argv.slice(2);
const { extract } = createRequire(import.meta.url)(join(folder, 'index.js'));
let [count, sum] = [0, 0];
extract(JSON.parse(configuration)).items$.subscribe({
  next: (item) => {
    count += 1;
    sum += Object.keys(item).length;
  },
  complete: () => console.log(`${count} items, ${sum} members`),
});
