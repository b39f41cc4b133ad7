/** A transport with connections of its own. */
import { createConnections } from '../../src/http/transport/transport';
import type { CarrierOptions, RoundTripSettings, Transport } from '../../src/http/transport/transport';

export type TransportOptions = CarrierOptions & RoundTripSettings;

export function createTransport(options: TransportOptions): Transport {
  const connections = createConnections(options);
  const { send, close } = connections.transport(options);
  return { send, close: () => close().then(connections.close) };
}
