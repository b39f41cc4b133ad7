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
