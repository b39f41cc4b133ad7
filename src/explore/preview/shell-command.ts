import { entriesOf, isList, isObject } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { FollowedReference } from '../../language/references/reference';

/** Requests as commands for a shell. */

/** A piece of a text: as it is, or the value of a shell variable. */
export type Piece = { readonly text: string } | { readonly variable: string };

/** A request of which some values stand in shell variables. */
export interface PiecedRequest {
  readonly method: string;
  readonly url: readonly Piece[];
  readonly headers: readonly (readonly [name: string, value: readonly Piece[]])[];
  readonly body?: readonly Piece[];
}

/** What no shell looks at. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * The curl command of a request, for a POSIX shell: whatever stands in it arrives as it is.
 *
 * @example curlOf({ method: 'GET', url: [{ text: 'https://api.example/a b' }], headers: [] }) // curl -gsS 'https://api.example/a b'
 */
export function curlOf({ method, url, headers, body }: PiecedRequest): string {
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const lines = [
    // Braces and brackets of a URL are its own: curl would take them for several URLs.
    `curl -gsS${method === 'GET' && body === undefined ? '' : ` -X ${shellWord([{ text: method }])}`} ${shellWord(url)}`,
    ...headers.map(([name, value]) => `-H ${shellWord(headerPieces(name, value))}`),
    ...(body === undefined || hasType ? [] : ["-H 'Content-Type:'"]),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Without a value, curl leaves a header out, unless a semicolon ends its name. */
const headerPieces = (name: string, value: readonly Piece[]): readonly Piece[] =>
  value.every((piece) => 'text' in piece && piece.text === '')
    ? [{ text: `${name};` }]
    : [{ text: `${name}: ` }, ...value];

/**
 * One word of a POSIX shell.
 *
 * @example shellWord([{ text: "it's " }, { variable: 'TOKEN' }]) // 'it'\''s '"$TOKEN"
 */
export function shellWord(pieces: readonly Piece[]): string {
  if (pieces.every((piece) => 'text' in piece)) {
    const whole = pieces.map(({ text }) => text).join('');
    return PLAIN.test(whole) ? whole : quoted(whole);
  }
  return pieces
    .map((piece) => ('text' in piece ? (piece.text === '' ? '' : quoted(piece.text)) : `"$${piece.variable}"`))
    .join('');
}

/** Within single quotes a shell changes nothing; only these quotes themselves cannot stand there. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shell variables in the place of secrets, and of what is known only when a request is sent. */

/** A variable that a command needs. */
export interface Variable {
  readonly name: string;
  /** What it is to hold. */
  readonly about: string;
}

/** How a text stands where it is not as it is. */
export interface Encoding {
  readonly of: (text: string) => string;
  /** Ends the names of variables that are to hold it. */
  readonly suffix: string;
  /** Tells what they hold. */
  readonly about: string;
}

/** In an address, or in a form. */
export const PERCENT_ENCODED: Encoding = { of: encodeURIComponent, suffix: '_ENCODED', about: 'percent-encoded' };
export const IN_JSON: Encoding = {
  of: (text) => JSON.stringify(text).slice(1, -1),
  suffix: '_IN_JSON',
  about: 'as it stands within a string of JSON',
};
const AS_IT_IS: Encoding = { of: (text) => text, suffix: '', about: '' };

export interface Variables {
  /** A text whose secrets and placeholders are variables. What is secret and has no name is named by the hint. */
  readonly piecesOf: (text: string, hint: string, encoding?: Encoding) => readonly Piece[];
  /** A variable that holds all of something. */
  readonly whole: (hint: string, about: string) => readonly Piece[];
  /** Those that were used, in the order of their first use. */
  readonly used: () => readonly Variable[];
}

const MASK = '***';

/**
 * @param document the configuration, whose keys that begin with `#` name secrets
 * @param references of the configuration: a secret of the environment is the variable that it names
 * @param secrets knows all of them, in every form
 * @param known what stands for the values of placeholders, by the text that stands in their place
 */
export function createVariables(
  document: Json,
  references: readonly FollowedReference[],
  secrets: Secrets,
  known: ReadonlyMap<string, Variable>,
): Variables {
  const used = new Map<string, Variable>();
  const named = new Map<string, Variable>(known);
  const ofNames = new Map<string, Variable>();
  const standIns = new Set<string>();
  for (const reference of references) {
    const value = standingFor(reference);
    if (value === undefined || named.has(value)) continue;
    const name = `${reference.source} ${reference.name}`;
    // What stands for a value that is not there differs by its place.
    const variable = ofNames.get(name) ?? variableOf(reference, [...named.values()]);
    ofNames.set(name, variable);
    if (!('value' in reference.found)) standIns.add(value);
    named.set(value, variable);
  }
  for (const [key, value] of secretsIn(document)) {
    if (value === '' || named.has(value)) continue;
    named.set(value, { name: freeName(variableName(key), [...named.values()]), about: `config.${key}` });
  }
  const use = (variable: Variable): Piece => {
    used.set(variable.name, used.get(variable.name) ?? variable);
    return { variable: variable.name };
  };
  const maskedPieces = (text: string, hint: string): readonly Piece[] =>
    secrets
      .mask(text)
      .split(MASK)
      .flatMap((piece, at): Piece[] => [
        ...(at === 0 ? [] : [use({ name: variableName(hint), about: `a secret: ${hint}` })]),
        ...(piece === '' ? [] : [{ text: piece }]),
      ]);
  const piecesOf: Variables['piecesOf'] = (text, hint, encoding = AS_IT_IS) => {
    const formOf = (value: string): string => (standIns.has(value) ? value : encoding.of(value));
    const forms = Array.from(named, ([value, variable]) => [formOf(value), value, variable] as const)
      .filter(([form]) => form !== '')
      .sort(([a], [b]) => b.length - a.length);
    const found = forms.flatMap(([form, value, variable]) => {
      const at = text.indexOf(form);
      return at < 0 ? [] : [{ at, form, value, variable }];
    });
    const [first] = found.sort((a, b) => a.at - b.at);
    if (first === undefined) return text === '' ? [] : maskedPieces(text, hint);
    const { at, form, value, variable } = first;
    const isEncoded = form !== value;
    const about = isEncoded ? `${variable.about}, ${encoding.about}` : variable.about;
    return [
      ...(at === 0 ? [] : maskedPieces(text.slice(0, at), hint)),
      use({ name: isEncoded ? `${variable.name}${encoding.suffix}` : variable.name, about }),
      ...piecesOf(text.slice(at + form.length), hint, encoding),
    ];
  };
  return {
    piecesOf,
    whole: (hint, about) => [use({ name: variableName(hint), about })],
    used: () => [...used.values()],
  };
}

/** What stands in requests where a variable is to stand: a secret, or what stands for a value that is not there. */
function standingFor({ found, isSecret }: FollowedReference): string | undefined {
  if ('value' in found) return isSecret ? found.value : undefined;
  return found.standIn;
}

function* secretsIn(value: Json): Generator<readonly [string, string]> {
  if (isList(value)) for (const each of value) yield* secretsIn(each);
  else if (isObject(value))
    for (const [key, inner] of entriesOf(value)) {
      if (key.startsWith('#') && isScalar(inner)) yield [key, textOf(inner)];
      else yield* secretsIn(inner);
    }
}

/** A variable of the environment is called as it is; one that a shell cannot name, and a file, gets a name like it. */
function variableOf({ source, name }: FollowedReference, taken: readonly Variable[]): Variable {
  const isFree = !taken.some((variable) => variable.name === name);
  if (source === 'env' && NAME.test(name) && isFree) return { name, about: 'as in the environment of a run' };
  const about = source === 'env' ? `the environment variable ${name}` : `the content of the file ${name}`;
  return { name: freeName(variableName(source === 'env' ? name : (/[^\\/]*$/.exec(name)?.[0] ?? '')), taken), about };
}

/** What a shell takes for the name of a variable. */
const NAME = /^[A-Za-z_]\w*$/;

/** @example variableName('#api-key') // 'API_KEY' */
export function variableName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return name === '' ? 'SECRET' : RESERVED.test(name) ? `HW_${name}` : name;
}

/** Names that a shell has for itself, and those that are none. */
const RESERVED =
  /^(\d.*|PATH|HOME|IFS|PWD|OLDPWD|USER|SHELL|ENV|LANG|LC_.*|PS\d|PPID|UID|EUID|TERM|CDPATH|MAIL|OPTIND|OPTARG)$/;

function freeName(name: string, taken: readonly Variable[]): string {
  let free = name;
  for (let number = 2; taken.some((variable) => variable.name === free); number += 1) free = `${name}_${number}`;
  return free;
}
