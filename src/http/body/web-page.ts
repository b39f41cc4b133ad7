import type { Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { cut, excerpt, maskedExcerpt, oneLine } from '../masking';

/** The number of bytes at the beginning of a body that show whether it is a web page. */
const BEGINNING = 2048;
const BEGINS_AS_JSON = /^\s*(?:[[{"]|$)/;
const CONTENT_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const TITLE = /<title\b[^>]*>([^<]*)<\/title/i;
const TITLE_LENGTH = 100;

/** Returns whether a body begins like HTML, regardless of its content type. */
export const beginsAsWebPage = (body: Uint8Array): boolean => beginsAsHtml(beginningOf(body));

/** Returns whether a response is a web page, by its content type or its beginning: some APIs send JSON as HTML. */
export function isWebPage({ headers, body }: Pick<Response, 'headers' | 'body'>): boolean {
  if (beginsAsWebPage(body)) return true;
  return CONTENT_TYPE.test(String(headers['content-type'] ?? '')) && !BEGINS_AS_JSON.test(beginningOf(body));
}

/**
 * Describes a web page: its title, or its beginning, masked.
 *
 * @example nameOfWebPage('<html><title>Sign in</title>', secrets) // 'a web page ("Sign in")'
 */
export function nameOfWebPage(text: string, secrets: Secrets): string {
  const title = oneLine(TITLE.exec(maskedExcerpt(text, secrets).masked)?.[1] ?? '');
  return `a web page (${title === '' ? excerpt(text, secrets) : `"${cut(title, TITLE_LENGTH)}"`})`;
}

const beginningOf = (body: Uint8Array): string => Buffer.from(body.subarray(0, BEGINNING)).toString('utf8');

/** The number of characters within which the HTML begins: comments above it are shorter. */
const HTML_BEGINS_WITHIN = 2048;
const BEGINS = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html[\s>])/i;

/** Returns whether a text begins like HTML. */
export const beginsAsHtml = (text: string): boolean => BEGINS.test(text.slice(0, HTML_BEGINS_WITHIN));
