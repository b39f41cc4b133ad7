import * as E from 'fp-ts/Either';
import { endpointUrl } from '../url/address';
import type { Checked } from './validation';

/** The URL of an endpoint, or a fault that names it (language 2.2). */
export const endpointIn = (baseUrl: string, endpoint: string, path: string): Checked<string> =>
  E.tryCatch(
    () => endpointUrl(baseUrl, endpoint),
    () => [
      { path, message: `expected an endpoint that makes a URL with ${baseUrl}, found ${JSON.stringify(endpoint)}` },
    ],
  );
