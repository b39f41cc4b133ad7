/** The configurations that a client makes of its own part and that of an extraction. */
import type { Json, JsonObject } from '../../core/model';
import { ConfigurationError } from '../../core/errors/errors';
import { entriesOf, isObject, objectFrom } from '../../core/json/keys';
import { merge } from '../../core/json/merge';

/** What may stand in a configuration beside `api` and `config`. */
export interface ClientSections {
  readonly authorization?: JsonObject;
  readonly sshProxy?: JsonObject;
  readonly aws?: JsonObject;
  readonly cache?: JsonObject | boolean;
  readonly image_parameters?: JsonObject;
}

/**
 * Gives the configuration of an extraction.
 *
 * @throws ConfigurationError when a key stands in the credentials and in `config`
 * @example clientDocument(api, { '#token': 't' }, {})({ jobs: [{ endpoint: 'users' }] })
 */
export const clientDocument =
  (api: object, credentials: JsonObject, sections: ClientSections) =>
  (config: object, iterations?: readonly JsonObject[]): Json => {
    // What an application writes is JSON; its types only say more.
    const written = config as Json;
    const faults = Object.keys(credentials)
      .filter((key) => isObject(written) && Object.hasOwn(written, key))
      .map((key) => ({
        path: `config.${key}`,
        message: 'stands in the credentials of the client as well: leave it out here, or make another client',
      }));
    if (faults.length > 0) throw new ConfigurationError(faults);
    return objectFrom([
      ...entriesOf(sections as JsonObject),
      ['api', api as Json],
      ['config', isObject(written) ? merge(credentials, written) : written],
      ...(iterations === undefined ? [] : [['iterations', iterations] as const]),
    ]);
  };

const OF_CLIENT = [
  ...['dispatcher', 'fetch', 'ownConnections', 'proxies', 'plainRetries', 'cacheFolder', 'encryptionKey'],
  ...['onCredentials', 'renewEarly', 'components', 'env', 'secretFiles', 'record', 'scheduler'],
];

/** @throws RangeError for options that an extraction of a client cannot have by itself */
export function refuseOfClient(options: object): void {
  const given = OF_CLIENT.find((name) => Reflect.get(options, name) !== undefined);
  if (given !== undefined) throw new RangeError(`The option "${given}" belongs to the client: give it to client().`);
}
