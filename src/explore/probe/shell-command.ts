import { freeName } from '../../tables/names';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { FollowedReference } from '../../language/references/reference';

/** Requests as shell commands. */

/** A piece of a string: literal text, or the value of a shell variable. */
export type Piece = { readonly text: string } | { readonly variable: string };

/** A request with some values in shell variables. */
export interface PiecedRequest {
  readonly method: string;
  readonly url: readonly Piece[];
  readonly headers: readonly (readonly [name: string, value: readonly Piece[]])[];
  readonly body?: readonly Piece[];
}

/** Matches text that a shell does not change. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * Returns the curl command of a request, for a POSIX shell, which passes everything unchanged.
 *
 * @example curlOf({ method: 'GET', url: [{ text: 'https://api.example/a b' }], headers: [] }) // curl -gsS 'https://api.example/a b'
 */
export function curlOf({ method, url, headers, body }: PiecedRequest): string {
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const lines = [
    // Without `-g`, curl would read braces and brackets in a URL as several URLs.
    `curl -gsS${method === 'GET' && body === undefined ? '' : ` -X ${shellWord([{ text: method }])}`} ${shellWord(url)}`,
    ...headers.map(([name, value]) => `-H ${shellWord(headerPieces(name, value))}`),
    ...(body === undefined || hasType ? [] : ["-H 'Content-Type:'"]),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Returns the pieces of a header. Without a value, curl leaves a header out, unless a semicolon ends its name. */
const headerPieces = (name: string, value: readonly Piece[]): readonly Piece[] =>
  value.every((piece) => 'text' in piece && piece.text === '')
    ? [{ text: `${name};` }]
    : [{ text: `${name}: ` }, ...value];

/**
 * Returns one word of a POSIX shell.
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

/** Returns a quoted text: a shell changes nothing within single quotes, which only cannot contain these quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A variable of a command, in place of a secret, or of a value that is known only when a request is sent. */
export interface Variable {
  readonly name: string;
  /** Its content, in words. */
  readonly about: string;
}

/** An encoding of a string in a request. */
export interface Encoding {
  readonly of: (text: string) => string;
  /** The suffix of the names of variables with encoded values. */
  readonly suffix: string;
  /** The description of their content. */
  readonly about: string;
}

/** The encoding in an address, or in a form. */
export const PERCENT_ENCODED: Encoding = { of: encodeURIComponent, suffix: '_ENCODED', about: 'percent-encoded' };
export const IN_JSON: Encoding = {
  of: (text) => JSON.stringify(text).slice(1, -1),
  suffix: '_IN_JSON',
  about: 'as it stands within a string of JSON',
};
const AS_IT_IS: Encoding = { of: (text) => text, suffix: '', about: '' };

export interface Variables {
  /** Returns a string with variables in place of secrets and placeholders. A secret without a name is named by the hint. */
  readonly piecesOf: (text: string, hint: string, encoding?: Encoding) => readonly Piece[];
  /** Returns a variable for a whole value. */
  readonly whole: (hint: string, about: string) => readonly Piece[];
  /** Returns the used variables, in the order of their first use. */
  readonly used: () => readonly Variable[];
}

const MASK = '***';

/**
 * @param document the configuration, whose keys that begin with `#` name secrets
 * @param references of the configuration: a secret of the environment is the variable of its name
 * @param secrets knows all of them, in every form
 * @param known the variables of placeholders, by the markers in their place
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
    // The stand-in of a value that is not set depends on its place.
    const variable = ofNames.get(name) ?? variableOf(reference, [...named.values()]);
    ofNames.set(name, variable);
    if (!('value' in reference.found)) standIns.add(value);
    named.set(value, variable);
  }
  for (const [key, value] of secretsIn(document)) {
    if (value === '' || named.has(value)) continue;
    named.set(value, { name: freeName(variableName(key), isNameOf([...named.values()])), about: `config.${key}` });
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

/** Returns the text in requests that a variable replaces: a secret, or the stand-in of a value that is not set. */
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

/**
 * Returns the name of the variable of a reference: a variable of the environment keeps its name; one with an invalid name, and a file, get
 * a similar one.
 */
function variableOf({ source, name }: FollowedReference, taken: readonly Variable[]): Variable {
  const isFree = !taken.some((variable) => variable.name === name);
  if (source === 'env' && NAME.test(name) && isFree) return { name, about: 'as in the environment of a run' };
  const about = source === 'env' ? `the environment variable ${name}` : `the content of the file ${name}`;
  return {
    name: freeName(variableName(source === 'env' ? name : (/[^\\/]*$/.exec(name)?.[0] ?? '')), isNameOf(taken)),
    about,
  };
}

/** Matches a valid name of a shell variable. */
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

/** Reserved and invalid names of a shell. */
const RESERVED =
  /^(\d.*|PATH|HOME|IFS|PWD|OLDPWD|USER|SHELL|ENV|LANG|LC_.*|PS\d|PPID|UID|EUID|TERM|CDPATH|MAIL|OPTIND|OPTARG)$/;

const isNameOf =
  (variables: readonly Variable[]) =>
  (name: string): boolean =>
    variables.some((variable) => variable.name === name);
