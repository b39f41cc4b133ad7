import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extracted, ROOT, run, step } from './steps.mjs';

/** Everything goes into the bundle: no package is named as external. */
const BUNDLERS = [
  ['esbuild', 'run.mjs', 'esm'],
  ['esbuild', 'run.mjs', 'cjs'],
  ['esbuild', 'run.cjs', 'cjs'],
  ['webpack', 'run.mjs', 'cjs'],
  ['webpack', 'run.cjs', 'cjs'],
  ['rolldown', 'run.mjs', 'esm'],
  ['rolldown', 'run.mjs', 'cjs'],
  ['rolldown', 'run.cjs', 'cjs'],
];

/** Bundles a program with each bundler, and runs the bundle in a folder where no package is installed. */
export function bundles(home, url, folder) {
  for (const [bundler, program, format] of BUNDLERS) {
    const name = `${bundler}-${program}-${format}`.replaceAll('.', '-');
    const out = join(folder, 'alone', name);
    mkdirSync(out, { recursive: true });
    step(`${bundler}: ${program} as ${format}, without externals`, () => {
      bundle(bundler, join(home, program), format, out);
      const file = format === 'esm' ? 'bundle.mjs' : 'bundle.cjs';
      const bytes = readdirSync(out).reduce((sum, each) => sum + statSync(join(out, each)).size, 0);
      return `${extracted(out, [file, url])}, ${(bytes / 1e6).toFixed(1)} MB`;
    });
  }
}

/** In a process of its own, since a bundler may keep things for the next time. */
const bundle = (bundler, program, format, out) =>
  run(ROOT, process.execPath, [join(ROOT, 'scripts', 'package', 'bundle.mjs'), bundler, program, format, out]);

/** What a bundle may have of the package, in bytes, of which a program uses one part alone. */
const SMALL = [
  ["import { toNodeReadable } from 'headwater'; console.log(toNodeReadable);", 60_000],
  ["import { version } from 'headwater'; console.log(version);", 60_000],
  ["import { inFlight } from 'headwater/operators'; console.log(inFlight);", 10_000],
];

export function treeShaking(home) {
  for (const [text, most] of SMALL) {
    step(`esbuild leaves out what is unused: ${text.split(';')[0]}`, () => {
      const bytes = Number(
        run(home, process.execPath, [join(ROOT, 'scripts', 'package', 'bundled-size.mjs'), home, text, 'rxjs']),
      );
      if (bytes > most) throw new Error(`The bundle has ${bytes} bytes, more than ${most}.`);
      return `${bytes} bytes, RxJS not counted`;
    });
  }
}
