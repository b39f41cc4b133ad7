import { findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { DEEPEST, TOO_DEEP } from '../json/depth';
import { parseJson } from '../json/parse';
import type { Json } from '../model';
import { placeAt, UnreadableText, unreadableAt, words } from './source';
import type { Source } from './source';

/** What {@link parseJson} throws: with a code for JSON that only it refuses. */
type UnfitJson = SyntaxError & { readonly code?: string };

/**
 * Reads JSON, in which comments and trailing commas may stand, without loss.
 *
 * @throws UnreadableText with line and column
 */
export function readJsonText(text: string): Source {
  const value = parsed(text);
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
  try {
    return parseJson(text);
  } catch (error) {
    const { code, message } = error as UnfitJson;
    if (code === 'JSON_TOO_DEEP') throw new UnreadableText(message);
    if (code === 'JSON_OUT_OF_RANGE') throw new UnreadableText('it has a number that is out of range');
  }
  return commented(text);
}

/** The slow way, for what is not plain JSON. */
function commented(text: string): Json {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, COMMENTED);
  const [first] = errors;
  if (first !== undefined) throw unreadableAt(words(printParseErrorCode(first.error)), text, first.offset);
  if (root === undefined) throw new UnreadableText('it is empty');
  return parseJson(plainText(root, text));
}

/** The same without comments; literals as they are spelled. */
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

/** Indexes of arrays are numbers there. */
function at(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, key) =>
      node === undefined ? undefined : findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key]),
    root,
  );
}
