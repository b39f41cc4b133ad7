/**
 * The public surface of the package, as text: docs/api has a page for each entry, with the signature of every exported name.
 *
 *     npm run api              says what is not as the pages have it, and what the surface lacks to be coherent
 *     npm run api -- --write   writes the pages
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { brokenDeclarations, declarationPath, declarationsOf, hiddenTypes, signatureOf } from './api/declarations.mjs';
import { ambiguousNames, exportsOf, readEntries, readOptions, ROOT, wildcards } from './api/entries.mjs';
import { brokenLinks } from './api/links.mjs';

const FOLDER = 'docs/api';
const HINT = 'If the change is meant, run `npm run api -- --write` and commit what it writes.';

const entries = readEntries();
const sources = ts.createProgram(
  entries.map(({ source }) => join(ROOT, source)),
  readOptions(),
);
const declarations = declarationsOf(sources);
const style = await resolveConfig(join(ROOT, 'package.json'));

async function pageOf({ name, source }) {
  const exported = exportsOf(declarations, declarationPath(source));
  const signatures = exported.map((each) => signatureOf(declarations.getTypeChecker(), each)).join('\n\n');
  const head = `# \`${name}\`\n\nEverything that this entry exports. \`npm run api -- --write\` makes this page from ${source}.`;
  return format(`${head}\n\n\`\`\`ts\n${signatures}\n\`\`\`\n`, { ...style, parser: 'markdown' });
}

const pages = new Map();
for (const entry of entries) pages.set(`${entry.name.replaceAll('/', '-')}.md`, await pageOf(entry));

const complaints = [
  ...wildcards(sources, entries),
  ...ambiguousNames(sources, entries),
  ...hiddenTypes(declarations, entries),
  ...brokenDeclarations(declarations),
  ...brokenLinks(sources, entries),
];
const folder = join(ROOT, FOLDER);
const others = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !pages.has(name));
if (process.argv.includes('--write')) {
  mkdirSync(folder, { recursive: true });
  for (const name of others) rmSync(join(folder, name));
  for (const [name, page] of pages) writeFileSync(join(folder, name), page);
} else {
  for (const name of others) complaints.push(`${FOLDER}/${name} belongs to no entry of package.json. ${HINT}`);
  for (const [name, page] of pages) {
    const path = join(folder, name);
    const known = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (known !== page) complaints.push(differenceOf(`${FOLDER}/${name}`, known.split('\n'), page.split('\n')));
  }
}

function differenceOf(path, known, found) {
  const lines = [
    ...known.filter((line) => !found.includes(line)).map((line) => `  - ${line}`),
    ...found.filter((line) => !known.includes(line)).map((line) => `  + ${line}`),
  ];
  const shown = lines.length > 40 ? [...lines.slice(0, 40), `  … and ${lines.length - 40} lines more`] : lines;
  return [`${path} is not the public surface as it is. ${HINT}`, ...shown].join('\n');
}

for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
