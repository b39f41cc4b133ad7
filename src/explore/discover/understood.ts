/** What the first response of an API is: a failure, JSON, another format, or a web page. */
import type { Asker } from './requests';
import { formatOfText } from '../detect/format';
import type { Subject } from '../detect/subject';
import { wantedCredentials } from '../detect/wanted-credentials';
import { webPage } from '../detect/web-page';
import { FatalError } from '../../core/errors/errors';
import { isWebPage } from '../../http/body/web-page';
import { parseData } from '../../core/json/parse';
import type { Json, Response } from '../../core/model';

const MOST_HTML = 200_000;

/** @throws FatalError where the status is none of a success */
export function refuseFailure({ status, headers, request }: Response, subject: Subject): void {
  if (status < 300) return;
  const wanted = wantedCredentials(headers);
  const hint =
    status === 401 || status === 403
      ? ` ${subject.credentials.length > 0 ? 'The credentials were refused.' : `It wants credentials${wanted === undefined ? ': --bearer TOKEN, --user NAME:PASSWORD or --header "NAME: VALUE"' : `: ${wanted}`}.`}`
      : '';
  throw new FatalError('API_STATUS', `The API answered with the status ${status}.${hint}`, {
    status,
    method: request.method,
    headers,
  });
}

/** The value of a body, and its format where that is not JSON. */
export async function understood(
  response: Response,
  asker: Asker,
): Promise<{ readonly data: Json | undefined; readonly format?: string }> {
  const text = Buffer.from(response.body).toString('utf8');
  if (text.trim() === '') return { data: undefined };
  try {
    return { data: parseData(text) };
  } catch {
    if (isWebPage(response)) throw webPage(text.slice(0, MOST_HTML), response.request.url);
  }
  const format = formatOfText(text, response.headers);
  if (format === undefined)
    throw new FatalError(
      'API_FORMAT',
      'The body is neither JSON nor lines of JSON, CSV or XML. Set "format" in a configuration that you write.',
    );
  const trial = await asker.run({ format, ...(format === 'xml' ? { dataField: '.' } : {}) }, 1);
  if ('error' in trial) throw trial.error;
  return { data: trial.pages[0]?.reply.data, format };
}
