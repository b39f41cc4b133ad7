import { FatalError } from '../../core/errors/errors';
import { isObject, ownValue } from '../../core/json/keys';
import { parseJson } from '../../core/json/parse';
import type { Json, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';

/** A login by a person that did not come to its end. */
export const loginFailed = (message: string): FatalError =>
  new FatalError('LOGIN_FAILED', `headwater login: ${message}`);

/** What a server says is wrong (RFC 6749 section 5.2). */
export interface OauthError {
  readonly code: string;
  /** For a person; it may be empty. */
  readonly description: string;
}

/** The error in a response, whatever its status: some servers say with 200 that they wait. */
export function oauthErrorIn({ body }: Response): OauthError | undefined {
  const content = parsed(Buffer.from(body).toString('utf8'));
  const code = isObject(content) ? ownValue(content, 'error') : undefined;
  if (!isObject(content) || typeof code !== 'string') return undefined;
  const description = ownValue(content, 'error_description');
  return { code, description: typeof description === 'string' ? description : '' };
}

/** An error of the server, as one of the login. */
export function refusedBy({ code, description }: OauthError, secrets: Secrets): FatalError {
  if (code === 'access_denied') return loginFailed('Access was denied. Log in again, and allow it.');
  const said = secrets.mask([code, description].filter((text) => text !== '').join(': '));
  return loginFailed(
    `The server refuses the login: ${printable(said)}. Check the client and the grant in api.authentication.`,
  );
}

/** What others wrote must not move the cursor of a terminal. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, ' ').slice(0, 300);

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
