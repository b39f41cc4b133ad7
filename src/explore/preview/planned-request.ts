import type { Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { PiecedRequest } from './curl';
import type { RequestPreview } from './model';
import { IN_JSON, PERCENT_ENCODED } from './variables';
import type { Variables } from './variables';

const MASK = '***';
const SECRET_HEADER = /authorization|token|secret|signature|password|api-?key|^cookie$/;

/** A request as it may be shown. */
export function shownRequest(request: Request, secrets: Secrets, shown: (text: string) => string): RequestPreview {
  const { method, url, headers, body } = request;
  const valueOf = (name: string, value: string): string =>
    SECRET_HEADER.test(name) ? MASK : shown(secrets.mask(value));
  return {
    method,
    url: shown(secrets.mask(url)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, valueOf(name, [value].flat().join(', '))]),
    ),
    ...(body === undefined ? {} : { body: shown(secrets.mask(body)) }),
  };
}

/** The same with shell variables in the place of secrets and placeholders. */
export function piecedRequest({ method, url, headers, body }: Request, variables: Variables): PiecedRequest {
  const isForm = [headers['content-type'] ?? ''].flat().join().includes('urlencoded');
  const isJson = /json/.test([headers['content-type'] ?? ''].flat().join());
  return {
    method,
    url: variables.piecesOf(url, 'SECRET', PERCENT_ENCODED),
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((line) => [name, headerPieces(name, line, variables)] as const),
    ),
    ...(body === undefined
      ? {}
      : { body: variables.piecesOf(body, 'SECRET', isForm ? PERCENT_ENCODED : isJson ? IN_JSON : undefined) }),
  };
}

/** A header whose name says that it is secret shows nothing that is not known to be public: its scheme. */
function headerPieces(name: string, line: string, variables: Variables): PiecedRequest['headers'][number][1] {
  const pieces = variables.piecesOf(line, name);
  if (!SECRET_HEADER.test(name) || pieces.some((piece) => 'variable' in piece)) return pieces;
  return variables.whole(name, `the header ${name}`);
}
