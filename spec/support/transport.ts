/** A transport with connections of its own. */
import { createConnections } from '../../src/http/transport/transport';
import type { CarrierOptions, RoundTripSettings } from '../../src/http/transport/transport';
import type { Send } from '../../src/core/model';
import { sendBy } from '../../src/http/dispatch';

export type TransportOptions = CarrierOptions & RoundTripSettings;

export interface Transport {
  readonly send: Send;
  readonly close: () => Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const connections = createConnections(options);
  const { dispatch, close } = connections.transport(options);
  return { send: sendBy(dispatch), close: () => close().then(connections.close) };
}
