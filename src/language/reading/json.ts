import { findNodeAtLocation, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { isComment } from '../codec/unknown-key';
import { DEEPEST, TOO_DEEP } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { placeAt, UnreadableText, unreadableAt, words } from './source';
import type { Source } from './source';

/** The error of {@link parseJson}: with a code for JSON that only Headwater refuses. */
type UnfitJson = SyntaxError & { readonly code?: string };

/**
 * Reads JSON with optional comments and trailing commas, without loss.
 *
 * @throws UnreadableText with line and column
 */
export function readJsonText(text: string): Source {
  if (text.trim() === '') throw new UnreadableText('it is empty');
  const value = parsed(text);
  refuseDoubleKeys(text);
  let root: Node | undefined;
  return {
    value,
    placeOf: (path) => {
      root ??= parseTree(text, [], COMMENTED);
      const node = root === undefined ? undefined : nearest(root, path);
      return node === undefined ? undefined : placeAt(text, node.offset);
    },
  };
}

const COMMENTED = { disallowComments: false, allowTrailingComma: true };

function parsed(text: string): Json {
  return fit(text, () => parseJson(text)) ?? commented(text);
}

/** Returns the parsed JSON; nothing if the text is not plain JSON. */
function fit(text: string, read: () => Json): Json | undefined {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as UnfitJson;
    if (code === 'JSON_TOO_DEEP') throw new UnreadableText(message);
    if (code === 'JSON_OUT_OF_RANGE') throw unreadableAt('a number is out of range', text, outOfRangeIn(text));
    return undefined;
  }
}

/** Returns the offset of a number that JavaScript cannot hold. */
function outOfRangeIn(text: string): number {
  let found = 0;
  visit(
    text,
    { onLiteralValue: (value, offset) => void (found ||= typeof value === 'number' && !isFinite(value) ? offset : 0) },
    COMMENTED,
  );
  return found;
}

/** Refuses duplicate keys: the last one would silently win. Comments may be repeated. */
function refuseDoubleKeys(text: string): void {
  const open: Set<string>[] = [];
  visit(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty: (key, offset) => {
        const known = open.at(-1);
        if (known?.has(key) === true && !isComment(key)) throw unreadableAt('a key stands twice', text, offset);
        known?.add(key);
      },
    },
    COMMENTED,
  );
}

/** Reads text that is not plain JSON, in a slower way. */
function commented(text: string): Json {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, COMMENTED);
  const [first] = errors;
  if (first !== undefined) throw unreadableAt(words(printParseErrorCode(first.error)), text, first.offset);
  if (root === undefined) throw new UnreadableText('it is empty');
  return fit(text, () => parseJson(plainText(root, text))) ?? null;
}

/** Returns the text without comments; literals keep their spelling. */
function plainText({ type, offset, length, children = [] }: Node, text: string, depth = 0): string {
  // A property is a level as well.
  if (depth > 2 * DEEPEST) throw new UnreadableText(TOO_DEEP);
  const joined = (by: string): string => children.map((child) => plainText(child, text, depth + 1)).join(by);
  if (type === 'array') return `[${joined(',')}]`;
  if (type === 'object') return `{${joined(',')}}`;
  if (type === 'property') return joined(':');
  return text.slice(offset, offset + length);
}

function nearest(root: Node, path: readonly string[]): Node | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = at(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return undefined;
}

/** Finds the node at a path. Indexes of arrays are numbers in the tree. */
function at(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, key) =>
      node === undefined ? undefined : findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key]),
    root,
  );
}
