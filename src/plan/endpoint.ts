import * as E from 'fp-ts/Either';
import { endpointUrl, isAbsolute } from '../url/address';
import { PLACEHOLDER } from './fill';
import type { Checked } from './validation';

/** Scheme, host and port of an absolute address. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** The URL of an endpoint, or a fault that says where it stands (language 2.2). */
export const endpointIn = (baseUrl: string, endpoint: string, path: string): Checked<string> =>
  E.tryCatch(
    () => endpointUrl(baseUrl, endpoint),
    () => [{ path, message: 'expected an endpoint that makes a URL with the base URL' }],
  );

/** As {@link endpointIn}, with placeholders that are still to be filled. */
export const checkEndpoint = (baseUrl: string, endpoint: string, path: string): Checked<string> =>
  endpointIn(baseUrl, endpoint.replace(PLACEHOLDER, '1'), path);

/** Whether a person wrote the host of this endpoint, and no value of a response can change it. */
export const namesItsHost = (endpoint: string): boolean =>
  isAbsolute(endpoint) && !(AUTHORITY.exec(endpoint)?.[0] ?? '').includes('{');
