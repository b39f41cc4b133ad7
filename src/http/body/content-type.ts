import type { Response } from '../../model';
import type { GuessedFormat } from '../formats/define';

/**
 * The format that the content type of a response names, if the body looks like it: for bodies that are no JSON.
 *
 * @param known the content types of all formats
 * @example formatOf(BUILT_IN.contentTypes, response, '<feed/>')?.label // 'XML', for application/atom+xml; charset=utf-8
 */
export function formatOf(
  known: readonly GuessedFormat[],
  { headers }: Pick<Response, 'headers'>,
  text: string,
): GuessedFormat['format'] | undefined {
  const type = (String(headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();
  return known.find((each) => each.type.test(type) && each.begins.test(text))?.format;
}
