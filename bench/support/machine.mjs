import { cpus, loadavg, totalmem, type } from 'node:os';
import { shown } from './figures.mjs';

/** What the figures depend on, as a sentence. */
export function machine() {
  const processors = cpus();
  const [load] = loadavg();
  return (
    `Node ${process.version}, ${type()} ${process.arch}, ${processors.length} × ${processors[0].model.trim()}, ` +
    `${shown(totalmem() / 1024 ** 3)} GiB; load of the machine before the run: ${shown(load, 2)}.`
  );
}
