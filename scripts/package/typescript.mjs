import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extracted, ROOT, run, step } from './steps.mjs';

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2022',
  types: ['node'],
  rootDir: '.',
};

/** Ways to compile: the name of the program, and what its output is called. */
const WAYS = [
  { name: 'nodenext, ES module', file: 'typed.mts', output: 'typed.mjs', options: { module: 'nodenext' } },
  { name: 'nodenext, CommonJS', file: 'typed-cjs.cts', output: 'typed-cjs.cjs', options: { module: 'nodenext' } },
  {
    name: 'bundler',
    file: 'typed.mts',
    output: 'typed.mjs',
    options: { module: 'esnext', moduleResolution: 'bundler' },
  },
  {
    name: 'node10',
    file: 'typed.ts',
    output: 'typed.js',
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
  },
];

/** Compiles a program in each way, the declarations of the package checked as strictly as itself, and runs it. */
export function typescript(folder, url, names = WAYS.map(({ name }) => name)) {
  for (const file of ['typed-cjs.cts', 'typed.ts']) copyFileSync(join(folder, 'typed.mts'), join(folder, file));
  for (const { name, file, output, options } of WAYS.filter((way) => names.includes(way.name))) {
    const out = name.replaceAll(/\W+/g, '-');
    const config = { compilerOptions: { ...STRICT, ...options, outDir: out }, files: [file] };
    writeFileSync(join(folder, `tsconfig.${out}.json`), JSON.stringify(config));
    step(`TypeScript, ${name}`, () => {
      run(folder, process.execPath, [
        join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'),
        '-p',
        `tsconfig.${out}.json`,
      ]);
      return extracted(folder, [join(out, output), url]);
    });
  }
}
