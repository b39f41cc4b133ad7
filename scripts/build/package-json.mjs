/** What the list of entries says in package.json, and what package.json says in the sources. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRIES, stemOf } from './entries.mjs';

const SCHEMA = './schema/headwater.schema.json';

export const readPackage = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The same names in ES modules and in CommonJS, each with its own declarations: Node.js and TypeScript judge a file by its ending. */
function exportsOf() {
  const conditions = Object.entries(ENTRIES).map(([name, source]) => {
    const path = `./dist/${stemOf(source)}`;
    return [
      name,
      {
        import: { types: `${path}.d.mts`, default: `${path}.mjs` },
        require: { types: `${path}.d.ts`, default: `${path}.js` },
      },
    ];
  });
  return Object.fromEntries([...conditions, ['./schema.json', SCHEMA], ['./package.json', './package.json']]);
}

/** For `moduleResolution: "node10"`, which knows nothing of `exports`. */
function typesVersionsOf() {
  const others = Object.entries(ENTRIES).filter(([name]) => name !== '.');
  const entries = others.map(([name, source]) => [name.slice(2), [`./dist/${stemOf(source)}.d.ts`]]);
  return { '*': Object.fromEntries([...entries, ['schema.json', [SCHEMA]]]) };
}

/** The texts of package.json and of src/core/version.ts as they have to be, by their paths. */
export function writtenTexts(root) {
  const description = readPackage(root);
  const entries = { exports: exportsOf(), typesVersions: typesVersionsOf() };
  const versionFile = join('src', 'core', 'version.ts');
  const text = readFileSync(join(root, versionFile), 'utf8');
  return new Map([
    ['package.json', `${JSON.stringify({ ...description, ...entries }, null, 2)}\n`],
    [versionFile, text.replace(/(?<=version: string = )'[^']*'/, `'${description.version}'`)],
  ]);
}

/** Writes what is not as it has to be; gives the paths. */
export function writeTexts(root) {
  const changed = [...writtenTexts(root)].filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text);
  for (const [path, text] of changed) writeFileSync(join(root, path), text);
  return changed.map(([path]) => path);
}
