/** The entries of the package, as package.json names them, and what each exports, by the TypeScript compiler. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { ENTRIES } from '../build/entries.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** `{ name: 'headwater/operators', source: 'src/operators/index.ts' }` and the like. */
export const readEntries = () =>
  Object.entries(ENTRIES).map(([path, source]) => ({ name: join('headwater', path), source }));

/** Whatever would make the surface wider than the names that are written down: sentences. */
export function wildcards(program, entries) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const paths = Object.keys(exports).filter((path) => path.includes('*'));
  const files = entries.filter(({ source }) =>
    program.getSourceFile(join(ROOT, source)).statements.some(
      // `export * from` and `export * as`.
      (node) =>
        ts.isExportDeclaration(node) && (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause)),
    ),
  );
  return [
    ...paths.map((path) => `package.json: exports["${path}"] opens a whole folder: name what is exported.`),
    ...files.map(({ source }) => `${source}: \`export *\` opens a whole module: name what is exported.`),
  ];
}

/** Names that two entries export: sentences. */
export function ambiguousNames(program, entries) {
  const found = new Map();
  for (const { name: entry, source } of entries)
    for (const { name } of exportsOf(program, join(ROOT, source))) found.set(name, [...(found.get(name) ?? []), entry]);
  return [...found]
    .filter(([, places]) => places.length > 1)
    .map(
      ([name, places]) =>
        `${name} is exported by ${places.join(' and ')}: one entry is enough, and two things need two names.`,
    );
}

/** The compiler's options of this project. */
export function readOptions() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options;
}

/** The symbol that an import or an export stands for. */
export const original = (checker, symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** Whether an entry exports the type of a class, and not the class. */
const isTypeOnly = ({ declarations }) =>
  declarations.some((node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly));

/** The exports of a module, by name. */
export function exportsOf(program, path) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(path));
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, symbol: original(checker, symbol), isTypeOnly: isTypeOnly(symbol) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The statement of a module that declares something; `undefined` for what is declared inside of another declaration. */
export function statementOf(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return statement.parent !== undefined && ts.isSourceFile(statement.parent) ? statement : undefined;
}
