/** The TypeScript of the documents compiles, as strictly as it gets, against this package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../..');
const PAGES = [
  'README.md',
  'docs/library.md',
  ...readdirSync(join(ROOT, 'docs/library')).map((name) => `docs/library/${name}`),
];
/** What the snippets take from their surroundings. */
const SURROUNDINGS = `
import type { Configuration } from 'headwater';
declare global {
  const config: unknown;
  const stations: Configuration;
  const database: { readonly insert: (items: readonly unknown[]) => Promise<void> };
}
`;

const snippets = new Map(
  PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ''], at) => [
      join(ROOT, `spec/examples/${page.replaceAll('/', '-')}-${at + 1}.ts`),
      text,
    ]),
  ),
);

function complaintsAbout(texts: ReadonlyMap<string, string>): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitReturns: true },
    ...{ noEmit: true, skipLibCheck: true, esModuleInterop: true, types: ['node'], baseUrl: ROOT },
    paths: { headwater: ['src/index.ts'], 'headwater/*': ['src/*.ts', 'src/*/index.ts'] },
  };
  const host = ts.createCompilerHost(options);
  const real = ts.createCompilerHost(options);
  host.fileExists = (path) => texts.has(path) || real.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? real.readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? real.getSourceFile(path, ...rest)
      : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${path.slice(ROOT.length)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

describe('the TypeScript of the documents', () => {
  const surroundings = [join(ROOT, 'spec/examples/surroundings.d.ts'), SURROUNDINGS] as const;

  it('is there', () => {
    expect(snippets.size).toBeGreaterThan(8);
  });

  it('goes on with what an error says, whether or not it says it', () => {
    const text =
      "import { extract } from 'headwater';\nimport type { HeadwaterError } from 'headwater';\n" +
      'export const again = (error: HeadwaterError) => extract(config, { resume: error.resume });\n';
    expect(complaintsAbout(new Map([surroundings, [join(ROOT, 'spec/examples/again.ts'), text]]))).toEqual([]);
  });

  it('compiles, and what is wrong in a snippet is found', () => {
    const wrong = join(ROOT, 'spec/examples/wrong.ts');
    const text = "import { extract } from 'headwater';\nexport const wrong: string = extract(config).warnings;\n";
    const complaints = complaintsAbout(new Map([surroundings, ...snippets, [wrong, text]]));
    expect(complaints).toEqual([expect.stringContaining('/spec/examples/wrong.ts: Type ')]);
  });
});
