/** The text of a configuration, in JSON with comments or in YAML: its value, and where its scalars stand. */
import { parseTree, printParseErrorCode, stripComments } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { isPair, isScalar, parseDocument, visit } from 'yaml';
import { parseJson } from '../index';
import type { Json } from '../index';
import { RefusedRequest } from './refused-request';

export type Language = 'json' | 'yaml';

/** A scalar that a text has at a place; `end` is behind it. */
export interface WrittenScalar {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export const languageOf = (path: string): Language => (/\.ya?ml$/i.test(path) ? 'yaml' : 'json');

/**
 * @returns the value of the text, with large integers as `bigint`
 * @throws RefusedRequest NOT_READABLE with line and column, never with the text, which may hold secrets
 * @example valueOf('{"api": {}} // mine', 'json')
 */
export function valueOf(text: string, language: Language): Json {
  if (text.trim() === '') throw unreadable('It is empty. Begin with the address of an API', 1, 1);
  return language === 'yaml' ? yamlValue(text) : jsonValue(text);
}

function jsonValue(text: string): Json {
  try {
    return parseJson(stripComments(text));
  } catch {
    const errors: ParseError[] = [];
    parseTree(text, errors, { allowTrailingComma: false });
    const [first] = errors;
    const before = text.slice(0, first?.offset ?? 0).split('\n');
    const what = first === undefined ? 'it cannot be parsed' : wordsOf(printParseErrorCode(first.error));
    throw unreadable(what, before.length, (before.at(-1) ?? '').length + 1);
  }
}

function yamlValue(text: string): Json {
  const document = parseDocument(text, { intAsBigInt: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const [at = { line: 1, col: 1 }] = error.linePos ?? [];
    throw unreadable(wordsOf(error.code.toLowerCase().replaceAll('_', ' ')), at.line, at.col);
  }
  // Aliases that multiply are refused by the package.
  return narrowed(document.toJS({ maxAliasCount: 100 }) as Json);
}

const narrowed = (value: Json): Json => {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(narrowed);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, narrowed(inner)]));
};

const wordsOf = (code: string): string => code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

const unreadable = (what: string, line: number, column: number): RefusedRequest =>
  new RefusedRequest(
    422,
    'NOT_READABLE',
    `The configuration cannot be read: ${what}, at line ${line}, column ${column}.`,
  );

/** The scalars below keys that begin with `#`, whatever is wrong with the text beside them. */
export const secretScalars = (text: string, language: Language): readonly WrittenScalar[] =>
  language === 'yaml' ? secretsOfYaml(text) : secretsOfJson(parseTree(text, [], { allowTrailingComma: true }), false);

function secretsOfJson(node: Node | undefined, isSecret: boolean): readonly WrittenScalar[] {
  if (node === undefined) return [];
  if (node.type === 'property') {
    const [key, value] = node.children ?? [];
    return secretsOfJson(value, isSecret || String(key?.value).startsWith('#'));
  }
  if (node.children !== undefined) return node.children.flatMap((child) => secretsOfJson(child, isSecret));
  return isSecret ? [{ start: node.offset, end: node.offset + node.length, value: String(node.value) }] : [];
}

function secretsOfYaml(text: string): readonly WrittenScalar[] {
  const found: WrittenScalar[] = [];
  const document = parseDocument(text, { uniqueKeys: false });
  visit(document, {
    Scalar: (key, node, path) => {
      const isBelow = path.some((each) => isPair(each) && isScalar(each.key) && String(each.key.value).startsWith('#'));
      if (key === 'key' || !isBelow || node.range === null || node.range === undefined) return;
      const [start, end] = node.range;
      found.push({ start, end: start + text.slice(start, end).trimEnd().length, value: String(node.value) });
    },
  });
  return found;
}
