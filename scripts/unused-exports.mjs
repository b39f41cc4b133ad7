/**
 * Names what modules of src export in vain: functions, classes and values that nothing in src uses, be it tested or not, and
 * those that only their own module uses, without a spec of their own. What the entries of the package export is public.
 *
 *     npm run exports
 */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { readEntries } from './api/entries.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const inSource = ({ fileName }) => fileName.startsWith(join(root, 'src/'));
const inSpec = ({ fileName }) => fileName.startsWith(join(root, 'spec/'));
/** The doors of the package, whose exports are for others; Temporal calls the workflows. */
const DOORS = [...readEntries().map(({ source }) => source), 'src/cli/main.ts', 'src/cluster/workflow.ts'].map((path) =>
  join(root, path),
);
const isDoor = ({ fileName }) => DOORS.includes(fileName);

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const files = program.getSourceFiles();

/** The symbol that an import or a re-export stands for. */
const original = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const isFrom = (symbol, file) => symbol.declarations?.some((node) => node.getSourceFile() === file) === true;
const exportsOf = (file) => {
  const module = checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module).map(original);
};

const [elsewhere, atHome, specified] = [new Set(files.filter(isDoor).flatMap(exportsOf)), new Set(), new Set()];
for (const file of files.filter((each) => inSource(each) || inSpec(each))) {
  const visit = (node) => {
    const symbol = ts.isIdentifier(node) ? symbolAt(node) : undefined;
    if (symbol !== undefined) {
      if (inSpec(file)) specified.add(symbol);
      else if (!isFrom(symbol, file)) elsewhere.add(symbol);
      else if (symbol.declarations.every((declared) => declared.name !== node)) atHome.add(symbol);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** `{ a }` for `{ a: a }` uses the variable, not the member. */
function symbolAt(node) {
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  return symbol === undefined ? undefined : original(symbol);
}

const complaints = files
  .filter((file) => inSource(file) && !isDoor(file))
  .flatMap((file) => {
    const own = exportsOf(file).filter((symbol) => isFrom(symbol, file) && symbol.flags & ts.SymbolFlags.Value);
    return own.flatMap((symbol) => {
      if (elsewhere.has(symbol) || (atHome.has(symbol) && specified.has(symbol))) return [];
      const what = atHome.has(symbol) ? 'only its own module uses it: leave out "export"' : 'nothing in src uses it';
      return [`${relative(root, file.fileName)}: ${symbol.name}: ${what}`];
    });
  });

for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
