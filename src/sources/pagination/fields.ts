/** Options that several pagination methods have. */
import { map, type Codec } from '../../language/codec/codec';
import { integerFrom, flag, oneOf, text } from '../../language/codec/primitives';
import { always, withDefault } from '../../language/codec/record';
import type { RelativeTo } from '../../core/url/address';

/** A page size. */
export const pageSize = integerFrom(1, undefined, '; with such a page size pagination could never advance');

/** The name of a header of responses: blanks around it are a slip. */
export const headerOfResponse: Codec<string> = map('HeaderOfResponse', text, (name) => name.trim());

/** Whether the first page is requested with the parameters of pagination. */
export const firstPageParams = always(flag(true), {
  distinctive: true,
  about: 'Whether the first request has the parameters of pagination as well.',
  example: false,
});

/** Whether later requests have the parameters of the job. */
export const includeParams = always(flag(false), {
  distinctive: true,
  about: 'Whether later requests have the parameters of the job as well; the address of the next page wins over them.',
  example: true,
});

/** Requests for pages of one job run at once. */
export const parallel = withDefault(integerFrom(1, 100), 1, {
  about: 'How many pages are requested at once. Pages still come in their order.',
  unit: 'requests',
  example: 4,
});

/** What a page means that is not full. */
export const shortPage = withDefault(oneOf('ShortPage', ['last', 'capped', 'filtered']), 'last', {
  about:
    'What a page means that has fewer items than the page size: it is the `last` one; or the API has `capped` it, or has `filtered` items out of it, and others follow, until a page has none.',
  example: 'filtered',
});

/** What a relative address is relative to. */
export const relativeTo = (byDefault: RelativeTo) =>
  withDefault(oneOf('RelativeTo', ['endpoint', 'base', 'request']), byDefault, {
    about:
      'What a relative address of a next page is relative to: the endpoint of the job, the base URL, or the request before.',
    example: 'base',
  });
