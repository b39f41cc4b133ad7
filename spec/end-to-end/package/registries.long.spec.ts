/** What is not complete does not compile: a registry that lacks a line, a definition that lacks a member. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../support/build';
import { ALL_CASES, someOf } from '../../support/cases';

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
  ts.sys,
  ROOT,
);
const roots = ['src/run/built-in-parts.ts', 'src/run/deliver/destinations.ts'].map((path) => join(ROOT, path));
const sources = new Map<string, ts.SourceFile>();

/** What the compiler says of these files when some files, by their paths, read otherwise. */
function complaints(changed: ReadonlyMap<string, string>, files: readonly string[], previous?: ts.Program) {
  const texts = new Map(Array.from(changed, ([path, text]) => [join(ROOT, path), text]));
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, version, true);
    const known = sources.get(name) ?? readSource(name, version);
    if (known !== undefined) sources.set(name, known);
    return known;
  };
  const program = ts.createProgram(roots, options, host, previous);
  const messagesOf = (file: string): readonly string[] => {
    const source = program.getSourceFile(join(ROOT, file));
    const found = source === undefined ? [] : program.getSemanticDiagnostics(source);
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
  return { program, messages: files.flatMap(messagesOf), messagesOf };
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const REGISTRIES: readonly (readonly [string, readonly string[]])[] = [
  ['src/sources/pagination/methods.ts', ['src/run/built-in-parts.ts']],
  ['src/auth/types.ts', ['src/run/built-in-parts.ts']],
  ['src/http/formats/formats.ts', ['src/run/built-in-parts.ts']],
  ['src/language/expressions/functions/functions.ts', ['src/run/built-in-parts.ts']],
  ['src/sinks/registry.ts', ['src/run/deliver/destinations.ts']],
  ['src/sinks/outlines.ts', ['src/run/built-in-parts.ts']],
];
const lines = REGISTRIES.flatMap(([registry, files]) =>
  read(registry)
    .split('\n')
    .filter((line) => line.startsWith('export'))
    .map((line) => [registry, line, files] as const),
);

/** One definition of each kind. */
const DEFINITIONS = [
  'src/sources/pagination/offset.ts',
  'src/auth/basic.ts',
  'src/http/formats/csv.ts',
  'src/language/expressions/functions/digests.ts',
  'src/sinks/duckdb/index.ts',
];
/** Members that a definition may lack. */
const OPTIONAL = [
  'counts',
  'places',
  'parallel',
  'check',
  'contentTypes',
  'hasColumns',
  'otherNames',
  'aliases',
  'isJson',
  'declaredEncoding',
  'stream',
];
/** Members that only the manual shows: private parts of applications lack them, and parts.spec.ts asks them of these. */
const OF_THE_MANUAL = [
  'summary',
  'use',
  'rules',
  'answer',
  'example',
  'examples',
  'result',
  'label',
  'needs',
  'travels',
];

/** A definition without one of its members, for each of them that it must have. */
const incomplete = DEFINITIONS.flatMap((path) => {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.ES2022, true);
  const found: (readonly [string, string, string])[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^define[A-Z]/.test(node.expression.getText(source))) {
      const [parts] = node.arguments;
      for (const member of parts !== undefined && ts.isObjectLiteralExpression(parts) ? parts.properties : []) {
        const name = member.name?.getText(source) ?? '';
        const text = source.text.slice(0, member.getFullStart()) + source.text.slice(member.end + 1);
        if (![...OPTIONAL, ...OF_THE_MANUAL].includes(name)) found.push([path, name, text]);
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
});

describe('what does not compile', () => {
  const whole = complaints(
    new Map(),
    REGISTRIES.flatMap(([, files]) => files),
  );

  it('the whole does', () => {
    expect(whole.messages).toEqual([]);
    expect(lines.length).toBeGreaterThan(30);
    expect(incomplete.length).toBeGreaterThan(15);
  });

  it.each(someOf(lines, 8))('%s without %s', (registry, line, files) => {
    const { messages } = complaints(
      new Map([[registry, read(registry).replace(`${line}\n`, '')]]),
      files,
      whole.program,
    );
    expect(messages).not.toEqual([]);
  });

  // No definition is seen by another: one program has one of each kind, incomplete.
  const programs = new Map<number, ReturnType<typeof complaints>>();
  const textsOf = (path: string): readonly string[] =>
    incomplete.flatMap((each) => (each[0] === path ? [each[2]] : []));
  const withEach = (at: number): ReturnType<typeof complaints> => {
    const changed = DEFINITIONS.flatMap((path) => [[path, textsOf(path)[at] ?? read(path)] as const]);
    const made = programs.get(at) ?? complaints(new Map(changed), [], whole.program);
    programs.set(at, made);
    return made;
  };

  // All members at one place of their definitions share a program.
  const tried = incomplete.filter(([path, , text]) => ALL_CASES || textsOf(path).indexOf(text) % 4 === 0);
  it.each(tried)('%s without %s', (path, _, text) => {
    expect(withEach(textsOf(path).indexOf(text)).messagesOf(path)).not.toEqual([]);
  });
});
