import type { Checked } from '../../language/codec/checked';
import { endpointIn } from '../../language/requests/endpoint';
import { isAbsolute } from '../../core/url/address';
import { PLACEHOLDER } from './fill';

/** Scheme, host and port of an absolute address. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** Checks an endpoint as {@link endpointIn} does, with placeholders that are still to be filled. */
export const checkEndpoint = (baseUrl: string, endpoint: string, path: string): Checked<string> =>
  endpointIn(baseUrl, endpoint.replace(PLACEHOLDER, '1'), path);

/** Whether a person wrote the host of this endpoint, and no value of a response can change it. */
export const namesItsHost = (endpoint: string): boolean =>
  isAbsolute(endpoint) && !(AUTHORITY.exec(endpoint)?.[0] ?? '').includes('{');
