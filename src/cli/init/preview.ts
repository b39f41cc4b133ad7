import type { Discovery } from '../..';
import { previewText } from '../preview-text';
import { terminalWidth } from '../terminal';

/** What `headwater preview` says of the configuration, by the responses that have come: the API is not asked again. */
export async function previewOf({ preview }: Pick<Discovery, 'preview'>): Promise<string> {
  return preview === undefined ? 'No response was seen.\n' : previewText(await preview(), terminalWidth());
}
