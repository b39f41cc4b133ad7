/** Writes a configuration with comments as text. */
import type * as Yaml from 'yaml';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';

/** Comments above keys, by the path of the keys joined by `/`: `api/pagination`. The empty string: above everything. */
export type Comments = Readonly<Record<string, readonly string[]>>;

/** The format of a configuration. `json` has its comments as keys that begin with `//`. */
export type ConfigurationFormat = 'yaml' | 'jsonc' | 'json';

/** Loads the library with the first text that needs it, since it is large. */
const library = (): typeof Yaml => require('yaml') as typeof Yaml;

/**
 * Writes a configuration with its comments.
 *
 * @example await configurationText({ api: { baseUrl: 'https://h.example/' } }, { api: ['An API.'] }, 'yaml')
 */
export function configurationText(
  configuration: JsonObject,
  comments: Comments,
  format: ConfigurationFormat,
): Promise<string> {
  return Promise.resolve(
    format === 'yaml' ? yamlText(configuration, comments) : jsonText(configuration, comments, format),
  );
}

/** The mark of a comment about what is not sure. */
export const UNSURE = 'UNSURE: ';

/** Returns comments with one above everything, which says what their marks mean if there are any. */
export function withHead(comments: Comments): Comments {
  const isUnsure = Object.values(comments).some((lines) => lines.some((line) => line.startsWith(UNSURE)));
  return { ...comments, '': [`Written by headwater init.${isUnsure ? ' What begins with UNSURE needs a look.' : ''}`] };
}

function jsonText(configuration: JsonObject, comments: Comments, format: 'jsonc' | 'json'): string {
  const lines = format === 'jsonc' ? commentLines : commentKeys;
  const head =
    format === 'jsonc'
      ? commentsAt(comments, [])
          .map((line) => `// ${line}\n`)
          .join('')
      : '';
  return `${head}${objectText(configuration, [], comments, lines, format === 'json')}\n`;
}

function yamlText(value: JsonObject, comments: Comments): string {
  const { Document, isMap, isPair, isScalar, isSeq } = library();
  const document = new Document(value);
  const visit = (node: unknown, path: readonly string[]): void => {
    if (isSeq(node)) node.items.forEach((item, at) => visit(item, [...path, String(at)]));
    if (!isMap(node)) return;
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key)) continue;
      const keys = [...path, String(pair.key.value)];
      const lines = commentsAt(comments, keys, 'yaml');
      if (lines.length > 0) pair.key.commentBefore = lines.map((line) => ` ${line}`).join('\n');
      visit(pair.value, keys);
    }
  };
  visit(document.contents, []);
  const head = commentsAt(comments, [], 'yaml');
  if (head.length > 0) document.commentBefore = head.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 0 });
}

const commentsAt = (
  comments: Comments,
  keys: readonly string[],
  format: ConfigurationFormat = 'json',
): readonly string[] => (comments[keys.join('/')] ?? []).map((line) => hintsIn(format, printable(line)));

/**
 * Returns a sentence whose hints, members of JSON between backticks, are in the format of the file.
 *
 * @example hintsIn('yaml', 'Write `"total": "none"`.') // 'Write total: none.'
 */
export function hintsIn(format: ConfigurationFormat, sentence: string): string {
  return sentence.replace(/`("[^`]*)`/g, (whole, member: string) => {
    if (format !== 'yaml') return member;
    try {
      const flow = library().stringify(JSON.parse(`{${member}}`), { collectionStyle: 'flow', lineWidth: 0 });
      return flow.trim().replace(/^\{ | \}$/g, '');
    } catch {
      return whole;
    }
  });
}

type CommentWriter = (lines: readonly string[], key: string, indent: string) => readonly string[];

const commentLines: CommentWriter = (lines, _, indent) => lines.map((line) => `${indent}// ${line}`);
const commentKeys: CommentWriter = (lines, key, indent) =>
  lines.map(
    (line, at) =>
      `${indent}${JSON.stringify(`//${key === '' ? '' : ' '}${key}${at === 0 ? '' : ` ${at + 1}`}`)}: ${JSON.stringify(line)},`,
  );

function objectText(
  object: JsonObject,
  path: readonly string[],
  comments: Comments,
  write: CommentWriter,
  isRoot = false,
): string {
  const indent = '  '.repeat(path.length + 1);
  const head = isRoot ? write(commentsAt(comments, []), '', indent) : [];
  const entries = entriesOf(object);
  const members = entries.map(([key, value], at) => {
    const keys = [...path, key];
    const text = `${indent}${JSON.stringify(key)}: ${valueText(value, keys, comments, write)}${at < entries.length - 1 ? ',' : ''}`;
    return [...write(commentsAt(comments, keys), key, indent), text].join('\n');
  });
  return `{\n${[...head, ...members].join('\n')}\n${'  '.repeat(path.length)}}`;
}

function valueText(value: Json, path: readonly string[], comments: Comments, write: CommentWriter): string {
  if (isObject(value) && entriesOf(value).length > 0) return objectText(value, path, comments, write);
  if (!isList(value) || !value.some(isObject)) return stringifyJson(value);
  const indent = '  '.repeat(path.length + 1);
  const elements = value.map((each, at) => `${indent}${valueText(each, [...path, String(at)], comments, write)}`);
  return `[\n${elements.join(',\n')}\n${'  '.repeat(path.length)}]`;
}

/** Characters that control a terminal, or end a comment: those of C0 and C1, marks of direction, line and paragraph ends. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const LONGEST = 500;

/**
 * Returns a string of an API that may be shown in a terminal or a comment: on one line, without control characters.
 *
 * @example printable('a\u001b[2Jb') // 'a�[2Jb'
 */
export function printable(text: string): string {
  const plain = text.toWellFormed().replace(UNPRINTABLE, '\ufffd');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST)}…`;
}
