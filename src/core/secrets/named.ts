/** Values that stand under the name of a secret, in addresses, JSON and the like. */
import { isDistinct, isHidden, looksRandom, sensitivityOf } from './names';
import { SCHEME } from './values';

/** `?name=value`, `&name=value`, also where JSON or HTML writes `&` in another way. */
const IN_QUERY = /([?&;]|\\u0026|%26|%3F)([\w.$~%[\]-]{1,100}?)(=|%3D)([^&#;\s"'<>\\]+)/gi;
/** `"name":"value"`. */
const IN_JSON = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9}")((?:[^"\\]|\\.)*)/g;
/** `"name":12345678`. */
const IN_JSON_BARE = /(")([\w.$@# -]{1,100})("\s{0,9}:\s{0,9})(\d{6,})/g;
/** `\"name\":\"value\"`: JSON text in JSON text. */
const IN_INNER_JSON = /(\\{1,7}")([\w.$@# -]{1,100})(\\{1,7}"\s{0,9}:\s{0,9}\\{1,7}")((?:[^"\\]|\\(?!\\{0,6}"))*)/g;
/** `<name>value</name>`. */
const IN_XML = /(<)([\w.:-]{1,100})((?:\s[^<>]*)?>)([^<>]+)(?=<\/)/g;
/** `name: value`, `name=value`, `Authorization: Bearer value`; a value may begin with another name. */
const IN_WORDS =
  /(?<![\w.-])()([a-z][\w-]{2,60})(\s{0,9}[:=]\s{0,9}["']?(?:(?:bearer|basic|token|digest)\s+)?)(?=([^\s"'<>,;&]{1,4000}))/gim;

type Place = 'named' | 'words';

/** Tells whether a string may match a pattern of {@link patternsFor}: most, such as addresses without a query, cannot. */
const mayHaveNames = (text: string): boolean => text.includes('=') || text.includes('"') || text.includes('</');
/** What `IN_WORDS` needs. */
const MAY_HAVE_WORDS = /[:=]/;

const patternsFor = (text: string): readonly (readonly [RegExp, Place])[] =>
  mayHaveNames(text)
    ? [
        ...(text.includes('=') ? [[IN_QUERY, 'named'] as const] : []),
        ...(text.includes('":') || text.includes('" :')
          ? ([
              [IN_JSON, 'named'],
              [IN_JSON_BARE, 'named'],
              [IN_INNER_JSON, 'named'],
            ] as const)
          : []),
        ...(text.includes('</') ? [[IN_XML, 'named'] as const] : []),
      ]
    : NO_PATTERNS;

const NO_PATTERNS: readonly (readonly [RegExp, Place])[] = [];

/**
 * The text with the values under names such as `access_token`, `X-Amz-Signature` or `password` replaced. Short values,
 * sentences and words such as `expired` stay.
 *
 * @example maskNamed('GET https://h.example/?sig=a1b2c3&page=2', '***') // 'GET https://h.example/?sig=***&page=2'
 */
export const maskNamed = (text: string, mask: string): string =>
  patternsFor(text).reduce(
    (sofar, [pattern, place]) =>
      sofar.replace(pattern, (whole: string, before: string, name: string, between: string, value: string) =>
        hides(name, value, place) ? `${before}${name}${between}${SCHEME.exec(value)?.[0] ?? ''}${mask}` : whole,
      ),
    text,
  );

/**
 * The values under such names in a string that somebody else wrote, to be masked wherever they appear. Beside what
 * {@link maskNamed} hides: those in lines such as `Authorization: Bearer a1b2c3d4`.
 *
 * @example secretsNamedIn('{"token":"a1b2c3d4","id":1}') // ['a1b2c3d4']
 */
export const secretsNamedIn = (text: string): readonly string[] =>
  [...patternsFor(text), ...(MAY_HAVE_WORDS.test(text) ? [[IN_WORDS, 'words'] as const] : [])].flatMap(
    ([pattern, place]) =>
      [...text.matchAll(pattern)].flatMap(([, , name = '', , value = '']) =>
        hides(name, value, place) ? plain(value).filter(isDistinct) : [],
      ),
  );

/**
 * A value and its name: what of it must not be printed wherever it appears.
 *
 * @example secretsIn('x-auth-token', 'Bearer a1b2c3d4') // ['a1b2c3d4']
 */
export const secretsIn = (name: string, value: string): readonly string[] =>
  hides(name, value, 'named') ? plain(value).filter(isDistinct) : [];

function hides(name: string, value: string, place: Place): boolean {
  const sensitivity = sensitivityOf(decoded(name));
  if (sensitivity === 'public') return false;
  const bare = value.replace(SCHEME, '');
  return isHidden(bare, sensitivity) && (place === 'named' || looksRandom(bare));
}

/** The credentials of a header without its scheme, as they are and decoded. */
function plain(value: string): readonly string[] {
  const bare = value.replace(SCHEME, '');
  return [...new Set([bare, decoded(bare)])];
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
