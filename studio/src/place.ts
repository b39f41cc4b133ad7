/** Places in the text of a configuration: where a path stands, which path a place has, and changes that leave comments alone. */
import { applyEdits, findNodeAtLocation, getLocation, modify, parse, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import { isNode, parse as parseYaml, parseDocument } from 'yaml';

export type Language = 'json' | 'yaml';
export type Path = readonly (string | number)[];

export interface Range {
  readonly from: number;
  readonly to: number;
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The value of a text, as far as it can be read. */
export function valueOf(text: string, language: Language): unknown {
  try {
    return language === 'yaml' ? parseYaml(text) : parse(text, [], { allowTrailingComma: true });
  } catch {
    return undefined;
  }
}

/** A number whose digits JavaScript would change. */
export class Digits {
  constructor(readonly text: string) {}
}

/**
 * The value of a text in JSON, as far as it can be read, with the digits that it has.
 *
 * @returns `undefined` for none, and for what is nested too deeply
 */
export function exactValueOf(text: string): unknown {
  const exact = (node: Node): unknown => {
    if (node.type === 'array') return (node.children ?? []).map(exact);
    if (node.type === 'object')
      return Object.fromEntries(
        (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
          value === undefined ? [] : [[String(key?.value), exact(value)]],
        ),
      );
    const written = text.slice(node.offset, node.offset + node.length);
    return node.type !== 'number' || String(node.value) === written ? (node.value as unknown) : new Digits(written);
  };
  try {
    const root = parseTree(text, [], { allowTrailingComma: true });
    return root === undefined ? undefined : exact(root);
  } catch {
    return undefined;
  }
}

/** @example pathOf('config.jobs[0].endpoint') // ['config', 'jobs', 0, 'endpoint'] */
export const pathOf = (place: string): Path =>
  [...place.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );

/** Where a path stands, or the nearest thing above it. Paths leave out `parameters`, where a configuration has that around it. */
export function rangeOf(text: string, language: Language, path: Path): Range {
  const found = nearestRangeOf(text, language, path, 1) ?? nearestRangeOf(text, language, ['parameters', ...path], 2);
  return found ?? startOf(text);
}

function nearestRangeOf(text: string, language: Language, path: Path, least: number): Range | undefined {
  for (let length = path.length; length >= least; length -= 1) {
    const found = exactRangeOf(text, language, path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

const startOf = (text: string): Range => ({ from: 0, to: Math.max(0, text.indexOf('\n')) });

function exactRangeOf(text: string, language: Language, path: Path): Range | undefined {
  if (language === 'yaml') {
    const node = parseDocument(text).getIn(path, true);
    const [from, to] = (isNode(node) ? node.range : undefined) ?? [];
    return from === undefined || to === undefined ? undefined : { from, to };
  }
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node === undefined ? undefined : { from: node.offset, to: node.offset + node.length };
}

/** The text with another value at a path; `undefined` removes it. */
export function changed(text: string, language: Language, path: Path, value: unknown): string {
  if (language === 'json') return applyEdits(text, modify(text, [...path], value, FORMAT));
  const document = parseDocument(text);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return String(document);
}

/** Where the cursor is: the path of what surrounds it, and whether a key is written there. */
export interface Spot {
  readonly path: Path;
  readonly isKey: boolean;
}

/** @returns `undefined` where nothing can be offered */
export function spotAt(text: string, language: Language, offset: number): Spot {
  if (language === 'yaml') return yamlSpotAt(text, offset);
  const { path, isAtPropertyKey } = getLocation(text, offset);
  return isAtPropertyKey ? { path: path.slice(0, -1), isKey: true } : { path, isKey: false };
}

/** By indentation: the text is seldom valid while a line is being written. */
function yamlSpotAt(text: string, offset: number): Spot {
  const before = text.slice(0, offset).split('\n');
  const current = before.pop() ?? '';
  const path: (string | number)[] = [];
  const [, lead = '', key] = /^((?:\s|- )*)(?:["']?([\w.#-]+)["']?\s*:\s)?/.exec(current) ?? [];
  let indent = lead.length;
  if (key !== undefined) path.unshift(key);
  let items = lead.includes('-') ? 0 : -1;
  if (items === 0) indent = lead.lastIndexOf('- ');
  if (items === 0) path.unshift(0);
  for (const line of before.reverse()) {
    const [whole, spaces = '', name] = /^((?:\s|- )*)["']?([\w.#-]+)["']?\s*:/.exec(line) ?? [];
    if (whole === undefined) continue;
    const dash = spaces.lastIndexOf('- ');
    if (dash !== -1 && dash === indent && items >= 0) items += 1;
    if (spaces.length < indent || (items >= 0 && dash === -1 && spaces.length <= indent)) {
      path.unshift(name ?? '');
      indent = dash === -1 ? spaces.length : dash;
      if (dash !== -1) path.unshift(0);
      items = dash === -1 ? -1 : 0;
    } else if (dash !== -1 && spaces.length === indent) {
      path.unshift(0);
      indent = dash;
      items = 0;
    }
    if (indent === 0 && items < 0) break;
  }
  return { path, isKey: key === undefined };
}
