/** A token (RFC 9110). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110: visible ASCII, space, tab, and the bytes above it. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const OF_THE_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Returns whether HTTP allows the name of a header. */
export const isHeaderName = (name: string): boolean => NAME.test(name);

/** Returns whether HTTP can carry the string as the value of a header. */
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** Returns whether a header belongs to the connection or the length of the body, which only the transport can know. */
export const isConnectionHeader = (name: string): boolean => OF_THE_CONNECTION.includes(name.toLowerCase());

/**
 * Returns a name for a message. If a whole header, such as `Authorization: Bearer …`, was given as the name, the text
 * after the colon is hidden.
 */
export const nameOnly = (written: string): string => written.replace(/:\s.*$/s, ': …');

/** One link of a `Link` header: the reference between `<` and `>`, and its parameters by lower-case name. */
export interface Link {
  readonly reference: string;
  readonly parameters: ReadonlyMap<string, string>;
}

// RFC 8288 has no single quotes, but servers write them.
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s";,]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s";,]*)))?/g;

/**
 * Returns the links of a `Link` header (RFC 8288 section 3). Text that is not a link is skipped: servers write these
 * headers by hand.
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

/** Returns the parameters of a link. If several have one name, the first counts (RFC 8288 section 3.3). */
function parametersIn(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(PARAMETER)].map(([, name = '', quoted, single, plain = '']) => {
    const value = quoted === undefined ? (single ?? plain) : quoted.replace(/\\(.)/g, '$1');
    return [name.toLowerCase(), value] as const;
  });
  return new Map(pairs.reverse());
}

/**
 * Returns the reference of the first link with this relation type, in any case. A link with an `anchor` is about
 * another resource than the one requested and does not count.
 *
 * @example linkTo('next', '<?p=1>; rel=prev, <?p=3>; rel="next last"') // '?p=3'
 */
export function linkTo(relation: string, header: string | readonly string[]): string | undefined {
  const sought = relation.toLowerCase();
  const types = ({ parameters }: Link): readonly string[] => (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
  return linksIn(header).find((link) => !link.parameters.has('anchor') && types(link).includes(sought))?.reference;
}

/**
 * Returns whether a `Link` header has a word outside of all readable links, for example in a link whose address lacks
 * `<` and `>`.
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

const RFC_1123 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;

/**
 * Parses a date of HTTP (RFC 1123) to milliseconds since the epoch; returns `undefined` for any other string.
 *
 * @example httpDate('Thu, 01 Dec 2022 16:00:00 GMT') // 1669910400000
 */
export function httpDate(text: string): number | undefined {
  const moment = RFC_1123.test(text.trim()) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
