/**
 * Writes the declarations of the entries, of all that they mention and of nothing else, with maps to the sources. They are those of
 * CommonJS; for ES modules, each entry has a file that passes them on, so that a type is the same type in either format.
 */
import { dirname, join, relative } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { ENTRIES, stemOf } from './entries.mjs';
import { WRITTEN, writeWrittenTypes } from './written-types.mjs';

export function writeDeclarations(root) {
  writeWrittenTypes(root);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const sources = Object.values(ENTRIES).map((source) => join(root, source));
  const program = ts.createProgram(sources, options);
  const seen = new Set(sources);
  // Grows while it is walked.
  for (const source of seen) {
    const file = program.getSourceFile(source);
    program.emit(
      file,
      (path, text) => {
        write(path, text.replaceAll(`'${WRITTEN}'`, `'${pathBetween(path, join(options.outDir, 'written'))}'`));
        if (path.endsWith('.d.ts')) for (const imported of importsOf(source, text, options)) seen.add(imported);
      },
      undefined,
      true,
      undefined,
      // Leaves out what declarations need not: a check of all bodies, which `npm run typecheck` is for.
      true,
    );
  }
  for (const stem of Object.values(ENTRIES).map(stemOf))
    write(join(options.outDir, `${stem}.d.mts`), `export * from './${stem.split('/').at(-1)}.js';\n`);
  return [...seen].map((path) => relative(root, path));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** How a declaration names another one. */
const pathBetween = (path, other) => relative(dirname(path), other).replace(/^(?!\.)/, './');

/** The modules of the project that a declaration imports. */
function importsOf(source, text, options) {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ts.resolveModuleName(fileName, source, options, ts.sys).resolvedModule.resolvedFileName);
}
