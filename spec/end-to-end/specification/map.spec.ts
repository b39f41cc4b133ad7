/** docs/specification.md and the specs of this folder must speak of the same rules. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

interface Link {
  readonly text: string;
  readonly file: string;
}
interface Row {
  readonly rule: string;
  readonly code: readonly Link[];
  readonly spec: readonly Link[];
}

const DOCS = resolve(__dirname, '../../../docs');
const THIS = 'map.spec.ts';

const linksIn = (cell = ''): Link[] =>
  [...cell.matchAll(/\[`?([^\]`]+)`?\]\(([^)]+)\)/g)].map(([, text = '', path = '']) => ({
    text,
    file: resolve(DOCS, path),
  }));

const rows: readonly Row[] = readFileSync(join(DOCS, 'specification.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, rule = '', , code, spec]) => ({
    rule: rule.replaceAll('`', ''),
    code: linksIn(code),
    spec: linksIn(spec),
  }));

/** What stands before the colon in the title of each `it` of a file; the whole title if there is no colon. */
function rulesIn(file: string): string[] {
  const rules: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^it\b/.test(node.expression.getText())) {
      const [title] = node.arguments;
      // `it.each(table)` is a call of its own; only what it returns takes a title.
      if (title !== undefined && ts.isStringLiteralLike(title)) rules.push(title.text.split(': ', 1)[0] ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return rules;
}

const declaresIt = (file: string, symbol: string): boolean =>
  new RegExp(`^(?:export )?(?:async )?(?:function|const) ${symbol}\\b`, 'm').test(readFileSync(file, 'utf8'));

const specFiles = readdirSync(__dirname).filter((name) => name.endsWith('.spec.ts') && name !== THIS);

describe('docs/specification.md', () => {
  it('names each rule once', () => {
    const rules = rows.map(({ rule }) => rule);
    expect(rules.length).toBeGreaterThan(0);
    expect(rules).toEqual([...new Set(rules)]);
  });

  it.each(rows)('$rule: its code and its spec are there', ({ code, spec }) => {
    expect(code).not.toEqual([]);
    expect(spec).toHaveLength(1);
    expect([...code, ...spec].map(({ file }) => file).filter((file) => !existsSync(file))).toEqual([]);
    expect(code.filter(({ file, text }) => !declaresIt(file, text))).toEqual([]);
  });

  it.each(rows)('$rule: is in titles of its spec', ({ rule, spec: [link] }) => {
    expect(link === undefined ? [] : rulesIn(link.file)).toContain(rule);
  });

  it.each(specFiles)('knows every rule of %s', (name) => {
    const file = join(__dirname, name);
    const rules = rulesIn(file);
    const known = rows.filter(({ spec }) => spec.some((link) => link.file === file)).map(({ rule }) => rule);
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter((rule) => !known.includes(rule))).toEqual([]);
  });
});
