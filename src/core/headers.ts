/** A token (RFC 9110). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110: visible ASCII, space, tab, and the bytes above it. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const OF_THE_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Whether HTTP allows the name of a header. */
export const isHeaderName = (name: string): boolean => NAME.test(name);

/** Whether HTTP can carry the string as the value of a header. */
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** Whether a header speaks of the connection and the length of the body: only what sends the request can know them. */
export const isConnectionHeader = (name: string): boolean => OF_THE_CONNECTION.includes(name.toLowerCase());

/**
 * A name for a message. Where a whole header, `Authorization: Bearer …`, stands in its place, nothing after the colon is
 * shown.
 */
export const nameOnly = (written: string): string => written.replace(/:\s.*$/s, ': …');

/** One link of a `Link` header: the reference between `<` and `>`, and its parameters by lower-case name. */
export interface Link {
  readonly reference: string;
  readonly parameters: ReadonlyMap<string, string>;
}

// Single quotes are none of RFC 8288, and servers write them.
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s";,]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s";,]*)))?/g;

/**
 * The links of a `Link` header (RFC 8288 section 3). What is no link is passed over: servers write these by hand.
 *
 * @param header its value, or the values of several lines
 * @example linksIn('</b?page=2>; rel="next"')[0]?.reference // '/b?page=2'
 */
export const linksIn = (header: string | readonly string[]): readonly Link[] =>
  [header]
    .flat()
    .flatMap((line) => [...line.matchAll(LINK)])
    .map(([, reference = '', parameters = '']) => ({
      reference: reference.trim(),
      parameters: parametersIn(parameters),
    }));

/** The parameters of a link; of several with one name the first counts (RFC 8288 section 3.3). */
function parametersIn(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(PARAMETER)].map(([, name = '', quoted, single, plain = '']) => {
    const value = quoted === undefined ? (single ?? plain) : quoted.replace(/\\(.)/g, '$1');
    return [name.toLowerCase(), value] as const;
  });
  return new Map(pairs.reverse());
}

/**
 * The reference of the first link with this relation type, in any case. A link with an `anchor` is about another
 * resource than the one requested and does not count.
 *
 * @example linkTo('next', '<?p=1>; rel=prev, <?p=3>; rel="next last"') // '?p=3'
 */
export function linkTo(relation: string, header: string | readonly string[]): string | undefined {
  const sought = relation.toLowerCase();
  const types = ({ parameters }: Link): readonly string[] => (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
  return linksIn(header).find((link) => !link.parameters.has('anchor') && types(link).includes(sought))?.reference;
}

/**
 * This tells whether a `Link` header has a word outside of all links that can be read: one whose address lacks `<` and `>`, for example.
 *
 * @example speaksOf('next', '/b?page=2; rel="next"') // true
 */
export const speaksOf = (relation: string, header: string | readonly string[]): boolean =>
  [header].flat().some((line) =>
    line
      .replace(LINK, '')
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(relation),
  );
