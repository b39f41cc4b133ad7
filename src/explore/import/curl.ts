/** Reads a curl command line as a request. */
import { FatalError } from '../../core/errors/errors';
import type { HttpMethod } from '../../core/model';
import { percentEncode } from '../../core/url/query';
import { nameOfJob } from '../detect/configuration';
import type { WrittenRequest } from '../detect/subject';
import type { Imported } from './imported';

/** The request so far. */
interface Draft {
  url?: string;
  method?: string;
  readonly headers: Record<string, string>;
  readonly data: string[];
  isJson: boolean;
  isGet: boolean;
}

type Take = (draft: Draft, value: string) => void;

const data: Take = (draft, value) => {
  if (value.startsWith('@')) throw refused(`the data stand in a file (${value.slice(0, 40)}): write them instead`);
  draft.data.push(value.replace(/[\r\n]+/g, ''));
};
const raw: Take = (draft, value) => void draft.data.push(value);
/** Adds data to encode: `content`, `=content` and `name=content`; with an `@` before any `=`, the content is in a file. */
const encoded: Take = (draft, value) => {
  const at = value.indexOf('=');
  if (/^[^=]*@/.test(value)) throw refused(`the data stand in a file (${value.slice(0, 40)}): write them instead`);
  const name = at < 1 ? '' : value.slice(0, at + 1);
  draft.data.push(`${name}${percentEncode(value.slice(at + 1))}`);
};

/** Options with a value. */
const VALUES: Readonly<Record<string, Take>> = {
  '--url': (draft, value) => void (draft.url = value),
  '--request': (draft, value) => void (draft.method = value.toUpperCase()),
  '--header': (draft, value) => header(draft, value),
  '--data': data,
  '--data-ascii': data,
  '--data-binary': (draft, value) => (value.startsWith('@') ? data(draft, value) : raw(draft, value)),
  '--data-raw': raw,
  '--data-urlencode': encoded,
  '--json': (draft, value) => {
    draft.isJson = true;
    if (value.startsWith('@')) data(draft, value);
    else raw(draft, value);
  },
  '--user': (draft, value) => void (draft.headers['authorization'] = `Basic ${Buffer.from(value).toString('base64')}`),
  '--oauth2-bearer': (draft, value) => void (draft.headers['authorization'] = `Bearer ${value}`),
  '--cookie': (draft, value) => {
    if (!value.includes('=')) throw refused('the cookies stand in a file: write them as name=value instead');
    draft.headers['cookie'] = value;
  },
};
/** Options with a value, and without one, that have no effect here. */
const IGNORED: ReadonlySet<string> = new Set(
  '--user-agent --referer --max-time --connect-timeout --output --retry --write-out --max-redirs'.split(' '),
);
const FLAGS: ReadonlySet<string> = new Set(
  `--compressed --location --silent --show-error --include --verbose --fail --globoff --http1.1 --http2 --no-buffer
   --tlsv1.2 --fail-with-body --progress-bar --ipv4 --ipv6 --remote-name`.split(/\s+/),
);
/** The names of options by their letters. */
const SHORT: ReadonlyMap<string, string> = new Map(
  `X--request H--header d--data u--user b--cookie A--user-agent e--referer m--max-time o--output w--write-out G--get I--head
   L--location s--silent S--show-error i--include v--verbose f--fail g--globoff k--insecure N--no-buffer #--progress-bar
   4--ipv4 6--ipv6 O--remote-name`
    .split(/\s+/)
    .map((word) => [word.charAt(0), word.slice(1)]),
);
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const LONGEST = 1_000_000;

/**
 * Reads a curl command line, as browsers copy it for bash.
 *
 * @throws FatalError CONFIG_INVALID if it is none, or has an option that a request cannot have
 * @example readCurl("curl 'https://h.example/ships' -H 'Accept: application/json'").url // 'https://h.example/ships'
 */
export function readCurl(text: string): WrittenRequest {
  if (text.length > LONGEST) throw refused(`it is longer than ${LONGEST} characters`);
  const [command, ...words] = shellWords(text);
  if (command !== 'curl') throw refused('it does not begin with "curl"');
  const draft: Draft = { headers: {}, data: [], isJson: false, isGet: false };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!word.startsWith('-') || word === '-') {
      if (draft.url !== undefined) throw refused('it has several addresses');
      draft.url = word;
      continue;
    }
    take(draft, word, () => left.shift());
  }
  return requestOf(draft);
}

/**
 * Returns a curl command line in the form of every importer.
 *
 * @throws FatalError CONFIG_INVALID as {@link readCurl}
 * @example importCurl('curl https://h.example/ships').beginnings[0]?.name // 'ships'
 */
export function importCurl(text: string): Imported {
  const request = readCurl(text);
  const { pathname, host } = new URL(request.url);
  const beginning = { id: pathname, name: nameOfJob(request.url), request, missing: [] };
  return { kind: 'curl', title: host, beginnings: [beginning], warnings: [] };
}

function take(draft: Draft, word: string, next: () => string | undefined): void {
  const [, name = '', given] = /^(--[^=]*)(?:=([^]*))?$/.exec(word) ?? [];
  if (name === '') takeShort(draft, word, next);
  else takeLong(draft, name, () => given ?? next());
}

/** Reads short options such as `-sXPOST`: combined letters, the last with its value. */
function takeShort(draft: Draft, word: string, next: () => string | undefined): void {
  for (let at = 1; at < word.length; at += 1) {
    const name = SHORT.get(word.charAt(at));
    if (name === undefined) throw refused(`the option -${word[at]} is not known`);
    if (!hasValue(name)) takeLong(draft, name, next);
    else {
      takeLong(draft, name, () => (at + 1 < word.length ? word.slice(at + 1) : next()));
      return;
    }
  }
}

const hasValue = (name: string): boolean => Object.hasOwn(VALUES, name) || IGNORED.has(name);

function takeLong(draft: Draft, name: string, value: () => string | undefined): void {
  if (hasValue(name)) {
    const given = value();
    if (given === undefined) throw refused(`the option ${name} has no value`);
    VALUES[name]?.(draft, given);
  } else if (name === '--get') draft.isGet = true;
  else if (name === '--head') throw refused('a HEAD request has no data');
  else if (name === '--insecure') throw refused('certificates are checked always: leave out --insecure');
  else if (!FLAGS.has(name)) throw refused(`the option ${name} is not known`);
}

function header(draft: Draft, line: string): void {
  const [, name, value = ''] = /^([^:;]+)[:;]\s*([\s\S]*)$/.exec(line) ?? [];
  if (name === undefined) throw refused('a header has no colon');
  draft.headers[name.trim().toLowerCase()] = value.trim();
}

function requestOf({ url, method, headers, data: parts, isJson, isGet }: Draft): WrittenRequest {
  if (url === undefined) throw refused('it has no address');
  const body = parts.length === 0 ? undefined : parts.join(isJson ? '' : '&');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? 'http';
  if (scheme !== 'http' && scheme !== 'https')
    throw refused(`its address begins with ${scheme.slice(0, 20)}: only http and https are requested`);
  const absolute = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(absolute)) throw refused('its address is no URL');
  const chosen = method ?? (body === undefined || isGet ? 'GET' : 'POST');
  if (!METHODS.includes(chosen)) throw refused(`the method ${chosen.slice(0, 20)} is not known`);
  const withData = isGet && body !== undefined ? withQueryOf(absolute, body) : absolute;
  const sent = body === undefined || isGet ? {} : { body };
  return { method: chosen as HttpMethod, url: withData, headers: { ...typesOf(isJson, sent), ...headers }, ...sent };
}

/** Returns the address with the data appended to its query, before its fragment. */
function withQueryOf(url: string, data: string): string {
  const [address = ''] = url.split('#', 1);
  return `${address}${address.includes('?') ? '&' : '?'}${data}`;
}

/** Returns the headers that curl adds for a body. */
function typesOf(isJson: boolean, { body }: { readonly body?: string }): Readonly<Record<string, string>> {
  if (isJson) return { accept: 'application/json', 'content-type': 'application/json' };
  return body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
}

const refused = (why: string): FatalError =>
  new FatalError('CONFIG_INVALID', `This command line of curl cannot be read: ${why}.`);

/** The escapes of bash in `$'…'`. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v', e: '\u001b', E: '\u001b' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ANSI = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/g;
/** Matches a space, a line continuation, one of four ways of quoting, a character after a backslash, or plain characters. */
const PIECE =
  /(\s+)|\\\r?\n|\$'((?:[^'\\]|\\[\s\S])*)'|\$?"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])|([^\s\\'"$`|&;<>()]+|\$(?![\w({'"]))/y;

/**
 * Splits a command line into words as bash does; anything that would run another command is refused.
 *
 * @throws FatalError CONFIG_INVALID for variables, substitutions, pipes, several commands, and unclosed quotes
 * @example shellWords("curl -H 'a: b' \\\n 'https://h.example'") // ['curl', '-H', 'a: b', 'https://h.example']
 */
export function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const line = text.trim();
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < line.length) {
    const at = PIECE.lastIndex;
    const piece = PIECE.exec(line);
    if (piece === null) throw refused(complaint(line, at));
    const [, space, ansi, double, single, escaped, plain] = piece;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const added =
      ansi !== undefined ? unescaped(ansi) : double !== undefined ? inDouble(double) : (single ?? escaped ?? plain);
    if (added !== undefined) word = (word ?? '') + added;
  }
  return word === undefined ? words : [...words, word];
}

function complaint(line: string, at: number): string {
  const character = line[at] ?? '';
  if (`'"`.includes(character) || line.startsWith(`$'`, at))
    return `a quote that begins at character ${at + 1} has no end`;
  if (character === '$' || character === '`') return `a variable or a command at character ${at + 1}: write its value`;
  return `${JSON.stringify(character)} at character ${at + 1}, which is no part of one command: put it in quotes`;
}

const unescaped = (text: string): string =>
  text.replace(ANSI, (_, hex?: string, four?: string, eight?: string, octal?: string, one = '') => {
    const digits = hex ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Math.min(parseInt(digits, 16), 0x10ffff));
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
    return ESCAPES[one as string] ?? `\\${String(one)}`;
  });

function inDouble(text: string): string {
  if (/(?:^|[^\\])(?:\\\\)*(?:\$[\w({]|`)/.test(text))
    throw refused('a variable or a command in double quotes: write its value');
  return text.replace(/\\(\r?\n|[$`"\\])/g, (_, escaped: string) => (escaped.includes('\n') ? '' : escaped));
}
