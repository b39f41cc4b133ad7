import { isObject } from '../../core/json/keys';
import { isScalar, textOf } from '../../core/json/text';
import type { JsonObject, TimedResponse } from '../../core/model';
import type { InteractiveRuntime } from '../../language/parts/authentication/authentication';
import { loginFailed, oauthErrorIn, printable, refusedBy } from './login-failed';

/** The requests of a device authorization grant. */
export interface DeviceRequests {
  readonly start: () => Promise<TimedResponse>;
  readonly token: (values: { readonly deviceCode: string }) => Promise<TimedResponse>;
}

/** The seconds between two questions, and how many more when the server is asked too often (RFC 8628 section 3.5). */
const INTERVAL = 5;
/** How long a code lives where the server does not say, in seconds. */
const LIFE = 900;

/**
 * Lets a person log in on another device (RFC 8628): tells the code, then asks for tokens until there are some.
 *
 * @throws FatalError LOGIN_FAILED when the person denies it, or the code expires
 */
export async function logInByDevice(
  { start, token }: DeviceRequests,
  { decode, secrets, tell, wait }: Pick<InteractiveRuntime, 'decode' | 'secrets' | 'tell' | 'wait'>,
): Promise<TimedResponse> {
  const started = await start();
  const refusal = oauthErrorIn(started);
  if (refusal !== undefined) throw refusedBy(refusal, secrets);
  const content = decode(started, 'json');
  const given: JsonObject = isObject(content) ? content : {};
  const deviceCode = textAt(given, 'device_code');
  const userCode = textAt(given, 'user_code');
  const address = textAt(given, 'verification_uri') || textAt(given, 'verification_url');
  if (deviceCode === '' || userCode === '' || address === '')
    throw loginFailed(
      'The response has no device_code, user_code or verification_uri. Check api.authentication.deviceAuthorizationEndpoint.',
    );
  secrets.learn(deviceCode);
  tell(`To log in, open ${printable(address)} in any browser, and enter the code ${printable(userCode)}`);
  const complete = textAt(given, 'verification_uri_complete');
  if (complete !== '') tell(`The same with the code in it: ${printable(complete)}`);
  const life = secondsAt(given, 'expires_in') ?? LIFE;
  let interval = secondsAt(given, 'interval') ?? INTERVAL;
  for (let waited = interval; waited <= life; waited += interval) {
    await wait(interval * 1000);
    const response = await token({ deviceCode });
    const error = oauthErrorIn(response);
    if (error === undefined) return response;
    if (error.code === 'expired_token') break;
    if (error.code === 'slow_down') interval += INTERVAL;
    else if (error.code !== 'authorization_pending') throw refusedBy(error, secrets);
  }
  throw loginFailed('The code has expired before anybody entered it. Run "headwater login" again for a new one.');
}

function textAt(content: JsonObject, key: string): string {
  const value = content[key] ?? null;
  return isScalar(value) ? textOf(value) : '';
}

function secondsAt(content: JsonObject, key: string): number | undefined {
  const seconds = Number(textAt(content, key));
  return seconds > 0 ? seconds : undefined;
}
