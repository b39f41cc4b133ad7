/** Senders without a network: their transport is a function. */
import type { VirtualTimeScheduler } from 'rxjs';
import type { Send } from '../../src/core/model';
import { dispatchBy } from '../../src/http/dispatch';
import { createSender } from '../../src/http/send';
import type { Sender, SenderOptions } from '../../src/http/send';
import { HOME, UNLIMITED_RETRIES, secretsOf } from './requests';

/** A sender whose requests are answered by this; without retries, unless the options say otherwise. */
export function senderOver(answer: Send, options: Partial<SenderOptions> = {}): Sender {
  const nothing = (): Promise<void> => Promise.resolve();
  const transport = { dispatch: dispatchBy(answer), close: nothing };
  return createSender({
    connections: { transport: () => transport, close: nothing },
    userAgent: 'headwater/1.2.3',
    requestTimeoutMs: 0,
    baseUrl: `${HOME}/`,
    credentialHosts: [],
    requestableHosts: [],
    retry: { maxRetries: 0, header: 'Retry-After', statusCodes: [], curlCodes: [], ...UNLIMITED_RETRIES },
    report: () => undefined,
    secrets: secretsOf(),
    ...options,
  });
}

/** Lets virtual time pass until a promise has settled. */
export async function inVirtualTime<T>(clock: VirtualTimeScheduler, promise: Promise<T>): Promise<T> {
  const passing = setInterval(() => clock.flush());
  return promise.finally(() => clearInterval(passing));
}
