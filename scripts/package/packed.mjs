import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, run, step } from './steps.mjs';

/** Runs a program of this folder's own packages. */
const judged = (name, args) => run(ROOT, join(ROOT, 'scripts', 'package', 'node_modules', '.bin', name), args);

/** Packs what is built, and has others judge it; gives the path of the archive. */
export function packed(folder) {
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(
    run(ROOT, 'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  );
  const tarball = join(folder, filename);
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  step('npm pack', () => `${megabytes(size)}, unpacked ${megabytes(unpackedSize)} in ${entryCount} files`);
  step('publint --strict', () => judged('publint', ['--strict', tarball]).split('\n').at(-1));
  step('attw', () => judged('attw', ['--format', 'ascii', '--no-emoji', tarball]) && 'no problems found');
  return tarball;
}

/** Installs packages into a folder, with nothing else in it, and without what they can do without. */
export function installed(folder, packages) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'application', private: true }));
  step('npm install in an empty folder', () => {
    run(folder, 'npm', ['install', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', ...packages]);
    const { packages: all } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', 'rxjs', 'package.json'), 'utf8'));
    return `${Object.keys(all).length} packages, RxJS ${version}`;
  });
}

/** Whether the maps lead to sources that are there. */
export function maps(folder) {
  step('source and declaration maps', () => {
    const paths = readdirSync(join(folder, 'dist'), { recursive: true }).filter((path) => path.endsWith('.map'));
    for (const path of paths.map((each) => join(folder, 'dist', each))) {
      const { sources, sourcesContent = [] } = JSON.parse(readFileSync(path, 'utf8'));
      const lost = sources.filter((source, at) => !sourcesContent[at] && !existsSync(join(dirname(path), source)));
      if (lost.length > 0) throw new Error(`${path} leads to what is not in the package: ${lost.join(', ')}`);
    }
    return `${paths.length} maps lead to sources of the package`;
  });
}
