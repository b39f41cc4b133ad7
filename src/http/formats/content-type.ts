import type { ResponseFormat } from '../../config/configuration';

const CSV = { type: 'csv', delimiter: ',', quote: '"', header: true, skipLines: 0 } as const;

/** Content types, and how the beginning of such a body looks: what begins like JSON is broken JSON and nothing else. */
const KNOWN: readonly { readonly type: RegExp; readonly begins: RegExp; readonly format: ResponseFormat }[] = [
  {
    type: /^(?:text|application)\/xml$|^(?!application\/xhtml).*\+xml$/,
    begins: /^\s*</,
    format: { type: 'xml' },
  },
  { type: /^(?:text|application)\/(?:x-)?csv$|^text\/comma-separated-values$/, begins: /^\s*[^\s[{<]/, format: CSV },
  {
    type: /^text\/tab-separated-values$/,
    begins: /^\s*[^\s[{<]/,
    format: { ...CSV, delimiter: '\t', quote: '' },
  },
  {
    type: /^(?:text|application)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/,
    begins: /^\s*[^\s<]/,
    format: { type: 'jsonl' },
  },
];

/**
 * The format that a content type names, if the body looks like it: for bodies that are no JSON.
 *
 * @example formatOf('application/atom+xml; charset=utf-8', '<feed/>') // { type: 'xml' }
 */
export function formatOf(contentType: string, text: string): ResponseFormat | undefined {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return KNOWN.find((known) => known.type.test(type) && known.begins.test(text))?.format;
}
