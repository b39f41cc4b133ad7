import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { transformSync } from '@swc/core';
import * as rxjs from 'rxjs';
import { toAsyncIterable, flattenIterable } from '../../src/operators/interop/iterable';
import { withObservable } from '../../src/operators/interop/observable';
import { toNodeReadable, toWebReadable } from '../../src/operators/interop/readable';
import * as operators from '../../src/operators';

const modules: Readonly<Record<string, unknown>> = {
  rxjs,
  'headwater/operators': operators,
  headwater: { flattenIterable, toAsyncIterable, toNodeReadable, toWebReadable, withObservable },
};

const IN_COMMENT = /@example\n \* ```ts\n([\s\S]*?) \* ```/g;

/** The examples in the comments of a file, or on a page, as programs. */
const examplesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(file.endsWith('.md') ? /^```ts\n([\s\S]*?)^```/gm : IN_COMMENT)].map(
    ([, lines = '']) => lines.replace(/^ \* ?/gm, ''),
  );

/** The files that the entry exports from; the others are parts of these. */
const exported = new Set(
  [...readFileSync(join('src', 'operators', 'index.ts'), 'utf8').matchAll(/from '\.\/(.*)'/g)].map(
    ([, name]) => `${name}.ts`,
  ),
);

const files = [
  ...[...exported].map((name) => join('src', 'operators', name)),
  ...readdirSync(join('src', 'operators', 'interop')).map((name) => join('src', 'operators', 'interop', name)),
];

const PAGE = join('docs', 'library', 'operators.md');

/** The programs of the page that send requests are those of spec/docs/examples/operators.spec.ts. */
const sendsRequests = (program: string): boolean => program.includes(" from 'undici'");

const examples = [...files, PAGE].flatMap((file) =>
  examplesIn(file).flatMap((program, index) =>
    sendsRequests(program) ? [] : [[`${basename(file)}, example ${index + 1}`, program] as const],
  ),
);

/** Runs a program until it has printed as many lines as are expected, and gives what it printed. */
async function printed(program: string, expected: number): Promise<unknown[]> {
  const imports = program.match(/^import .*\n/gm) ?? [];
  const body = `export async function main() {\n${program.replace(/^import .*\n/gm, '')}\n}`;
  const { code } = transformSync(imports.join('') + body, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const lines: unknown[] = [];
  const exported: { main?: () => Promise<void> } = {};
  await new Promise<void>((resolve) => {
    const log = (line: unknown) => {
      lines.push(line);
      if (lines.length === expected) setImmediate(resolve);
    };
    runInNewContext(code, {
      require: (name: string) => modules[name],
      exports: exported,
      console: { log },
      AbortController,
      setTimeout,
      clearTimeout,
    });
    void exported.main?.();
  });
  return lines;
}

describe('the examples in the comments, and those of limits on the page', () => {
  it('are found: every file of operators and interop has one', () => {
    expect(files.filter((file) => examplesIn(file).length === 0)).toEqual([]);
  });

  it.each(examples)('print what they say: %s', async (_, program) => {
    const expected = [...program.matchAll(/^\/\/ → (.*)$/gm)].map(([, line]) => line);
    expect(expected).not.toEqual([]);
    expect(await printed(program, expected.length)).toEqual(expected);
  });
});
