/** The declarations that `tsc` writes for the sources, without comments, as a program of their own that is only in memory. */
import { join } from 'node:path';
import ts from 'typescript';
import { exportsOf, original, ROOT, statementOf } from './entries.mjs';

const OUT = join(ROOT, 'declarations-in-memory');

/** The program of the declarations of a program. */
export function declarationsOf(program) {
  const options = {
    ...program.getCompilerOptions(),
    ...{
      noEmit: false,
      skipLibCheck: false,
      declaration: true,
      declarationMap: false,
      emitDeclarationOnly: true,
      removeComments: true,
      outDir: OUT,
    },
  };
  const texts = new Map();
  const emitting = ts.createProgram(program.getRootFileNames(), options, undefined, program);
  // The last argument, which types of TypeScript do not show, leaves out what declarations need not: a check of all bodies.
  emitting.emit(undefined, (path, text) => texts.set(path, text), undefined, true, undefined, true);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.directoryExists = (path) => path.startsWith(OUT) || directoryExists(path);
  host.getSourceFile = (path, version, ...others) =>
    texts.has(path)
      ? ts.createSourceFile(path, texts.get(path), version, true)
      : (program.getSourceFile(path) ?? getSourceFile.call(host, path, version, ...others));
  return ts.createProgram([...texts.keys()], options, host);
}

/** Where the declarations of a source file are. */
export const declarationPath = (source) => join(OUT, source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'));

/** Not so the types of what a person writes (`#written`): a change of them is seen in the schema that they are made from. */
const isOurs = (node) => node.getSourceFile().fileName.startsWith(OUT);

/** The text of what an entry exports under a name. */
export function signatureOf(checker, { name, symbol, isTypeOnly }) {
  if (isMapped(symbol.valueDeclaration)) return membersOf(checker, name, symbol);
  const statements = new Set(symbol.declarations.map(statementOf));
  const isClassType = isTypeOnly && (symbol.flags & ts.SymbolFlags.Class) !== 0;
  const texts = [...statements].map((statement) =>
    statement
      .getText()
      .replace(/^(export )?(default )?(declare )?/, isClassType ? '' : 'export ')
      .replaceAll(/\bimport\('[^']*'\)\./g, '')
      .replaceAll(/\bimport\("[^"]*"\)\./g, ''),
  );
  if (isClassType)
    return `${texts.join('\n')}\nexport type { ${symbol.name} as ${name} };`.replace(`${name} as ${name}`, name);
  return symbol.name === name ? texts.join('\n') : `${texts.join('\n')}\nexport { ${symbol.name} as ${name} };`;
}

/** A mapped type over a registry says nothing of what is in it: its members do. */
const isMapped = (declaration) => {
  const isIn = (node) => ts.isMappedTypeNode(node) || (ts.forEachChild(node, isIn) ?? false);
  return declaration !== undefined && ts.isVariableDeclaration(declaration) && isIn(declaration);
};

function membersOf(checker, name, symbol) {
  const members = checker.getTypeOfSymbol(symbol).getProperties();
  const lines = members.map(
    (member) => `readonly ${member.name}: ${checker.typeToString(checker.getTypeOfSymbol(member))};`,
  );
  return `export const ${name}: {\n${lines.sort().join('\n')}\n};`;
}

/** What is wrong with the declarations themselves, as an application without `skipLibCheck` would see it: sentences. */
export function brokenDeclarations(program) {
  return program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(OUT))
    .flatMap((file) => program.getSemanticDiagnostics(file))
    .map(
      ({ file, messageText }) =>
        `${file.fileName.replace(OUT, 'dist')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

/** What signatures of the entries mention, and no entry exports: sentences. */
export function hiddenTypes(program, entries) {
  const checker = program.getTypeChecker();
  const everything = entries.flatMap(({ name: entry, source }) =>
    exportsOf(program, declarationPath(source)).map((each) => ({ entry, ...each })),
  );
  const shown = new Set(everything.map(({ symbol }) => symbol));
  const found = new Map();
  for (const { entry, name, symbol } of everything) {
    const visit = (node) => {
      const mentioned = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
      if (mentioned !== undefined) note(original(checker, mentioned), `${entry}: ${name}`);
      ts.forEachChild(node, visit);
    };
    if (isMapped(symbol.valueDeclaration))
      for (const { aliasTypeArguments = [] } of checker
        .getTypeOfSymbol(symbol)
        .getProperties()
        .map(checker.getTypeOfSymbol))
        for (const type of aliasTypeArguments) if (type.symbol !== undefined) note(type.symbol, `${entry}: ${name}`);
    symbol.declarations.map(statementOf).forEach(visit);
  }
  return [...found.values()];

  function note(mentioned, place) {
    const [declaration] = mentioned.declarations ?? [];
    if (declaration === undefined || !isOurs(declaration) || statementOf(declaration) === undefined) return;
    if (shown.has(mentioned)) return;
    const file = declaration
      .getSourceFile()
      .fileName.replace(OUT, 'src')
      .replace(/\.d\.ts$/, '.ts');
    const key = `${place}/${mentioned.name}`;
    found.set(
      key,
      `${place} mentions ${mentioned.name} of ${file}, which no entry exports: export it, or do not mention it.`,
    );
  }
}
