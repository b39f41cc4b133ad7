import type * as Yaml from 'yaml';
import type { Document, Node, Pair, Scalar, YAMLError, YAMLWarning } from 'yaml';
import { DEEPEST } from '../../core/json/objects';
import { parseJson } from '../../core/json/parse';
import { UnreadableText, unreadableAt, words } from './source';
import type { Source } from './source';

/** Loads the library with the first YAML text: it is larger than the rest of many programs. */
const library = (): typeof Yaml => require('yaml') as typeof Yaml;

type YamlDocument = Document.Parsed;

/** The most values of a document with its aliases expanded: a few lines could otherwise expand to billions. */
const MOST_VALUES = 200_000;
const INDENTED = 'a line is indented otherwise than those beside it';
/** Messages in words: a key of two lines, or the colon of a secret, must not be shown. */
const IN_WORDS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab indents a line: use spaces',
  DUPLICATE_KEY: 'a key stands twice',
  MULTIPLE_DOCS: 'a second document begins',
  TAG_RESOLVE_FAILED: 'there is no such tag',
  BAD_ALIAS: 'there is no such anchor',
  BLOCK_AS_IMPLICIT_KEY: 'a line has a second ": ": put its text into quotation marks, if it is text',
  MULTILINE_IMPLICIT_KEY: 'a key has no ": " after it',
  MISSING_CHAR: `a quotation mark, a bracket or a comma is missing, or ${INDENTED}`,
  BAD_INDENT: `${INDENTED}, or a bracket above it is not closed`,
  BAD_SCALAR_START: 'a string begins with a character that has a meaning in YAML: put it into quotation marks',
  UNEXPECTED_TOKEN: 'something follows where the value is over: put the whole into quotation marks, if it is text',
  BLOCK_IN_FLOW: 'a comma is missing between brackets',
};

/** Returns the message for the errors of a document; the first one has the place. */
function inWords([first, second]: readonly (YAMLError | YAMLWarning)[]): string | undefined {
  // A second ": " and a line break before it mean that the line below should have the same indentation.
  if (first?.code === 'BLOCK_AS_IMPLICIT_KEY' && second?.code === 'MULTILINE_IMPLICIT_KEY')
    return `${INDENTED}: the one below`;
  return first === undefined ? undefined : (IN_WORDS[first.code] ?? words(first.code));
}

/**
 * Reads YAML 1.2 without loss: numbers keep their digits, dates and `yes` are text.
 *
 * @throws UnreadableText with line and column
 */
export function readYamlText(text: string): Source {
  const { LineCounter, parseDocument } = library();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ version: '1.2', schema: 'core', intAsBigInt: true, keepSourceTokens: true },
    ...{ prettyErrors: false, uniqueKeys: true, merge: false, lineCounter: lines },
  } as const);
  const faults = [...document.errors, ...document.warnings];
  const said = inWords(faults);
  if (said !== undefined) throw unreadableAt(said, text, faults[0]?.pos[0] ?? 0);
  const { contents } = document as YamlDocument;
  if (contents === null) throw new UnreadableText('it is empty');
  const value = parseJson(createWriter(text).json(contents, 0));
  return {
    value,
    placeOf: (path) => {
      for (let length = path.length; length >= 0; length -= 1) {
        const node = document.getIn(path.slice(0, length).map(keyIn), true) as Node | undefined;
        if (node?.range !== undefined && node.range !== null) {
          const { line, col } = lines.linePos(node.range[0]);
          return { line, column: col };
        }
      }
      return undefined;
    },
  };
}

const keyIn = (key: string): string | number => (/^\d+$/.test(key) ? Number(key) : key);

/** Creates a writer of nodes as JSON: the reader of JSON then preserves digits and the order of keys. */
function createWriter(text: string): { json: (node: Node, depth: number) => string } {
  const { isAlias, isMap, isScalar, isSeq } = library();
  let values = 0;
  const following = new Set<Node>();
  /** The last node of each anchor so far: nodes come in the order of the file. */
  const anchored = new Map<string, Node>();
  const targets = new Map<Node, Node | undefined>();
  /** Called for what an alias stands for again: another node may have the anchor by then. */
  const keepAnchor = (node: Node): void => {
    if (following.size > 0) return;
    if (library().isAlias(node)) targets.set(node, anchored.get(node.source));
    else if (node.anchor !== undefined) anchored.set(node.anchor, node);
  };
  const refuse = (what: string, node: Node): never => {
    throw unreadableAt(what, text, node.range?.[0] ?? 0);
  };
  const json = (node: Node, depth: number): string => {
    values += 1;
    if (values > MOST_VALUES) return refuse('aliases stand for too many values', node);
    if (depth > DEEPEST) return refuse(`it nests deeper than ${DEEPEST} levels`, node);
    keepAnchor(node);
    if (isAlias(node)) return followed(targets.get(node), node, depth);
    if (isScalar(node)) return scalar(node);
    if (isSeq(node)) return `[${node.items.map((item) => json(item as Node, depth + 1)).join(',')}]`;
    if (isMap(node)) return object(node.items as readonly Pair<Node, Node | null>[], depth);
    return refuse('this is no value of JSON', node);
  };
  const followed = (target: Node | undefined, alias: Node, depth: number): string => {
    if (target === undefined) return refuse('there is no such anchor', alias);
    if (following.has(target)) return refuse('an alias stands inside of what it stands for', alias);
    following.add(target);
    const written = json(target, depth);
    following.delete(target);
    return written;
  };
  const object = (pairs: readonly Pair<Node, Node | null>[], depth: number): string => {
    const seen = new Set<string>();
    const members = pairs.map(({ key, value }) => {
      keepAnchor(key);
      const name = isScalar(key) && key.value !== null ? (key.source ?? textOfKey(key.value)) : undefined;
      if (name === undefined) return refuse('a key is no text', key);
      if (name === '<<') return refuse('"<<" merges nothing in YAML 1.2: use "extends", or write the keys', key);
      if (seen.has(name)) return refuse('a key stands twice', key);
      seen.add(name);
      return `${JSON.stringify(name)}:${value === null ? 'null' : json(value, depth + 1)}`;
    });
    return `{${members.join(',')}}`;
  };
  const scalar = (node: Scalar): string => {
    const { value, source = '' } = node;
    if (typeof value === 'object' && value !== null) return refuse('this is no value of JSON', node);
    if (typeof value !== 'number' && typeof value !== 'bigint') return JSON.stringify(value);
    if (/^[-+]?0\d/.test(source))
      return refuse('a number begins with 0: put it into quotation marks if it is text', node);
    if (/^[-+]?0[ox]/.test(source)) return String(value);
    const number = source
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=e|$)/i, '.0');
    if (!JSON_NUMBER.test(number)) return refuse('JSON has no such number', node);
    return Number.isFinite(Number(number)) ? number : refuse('a number is out of range', node);
  };
  return { json };
}

/** Returns the text of a key. Plain scalars have a source. */
const textOfKey = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i;
