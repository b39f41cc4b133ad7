// @ts-check
/** The work: the messages of all tenants as one stream, with limits a tenant and in all. */
import { createLimiter, inFlight } from 'headwater/operators';
import { concatMap, defer, EMPTY, from, fromEvent, interval, mergeMap, of } from 'rxjs';
import { range, repeat, retry, takeUntil, timer, using } from 'rxjs';
import { dealWith$ } from './deal-with.js';
import { codeOf } from './outcome.js';
import { nextMessage } from './queue.js';

/**
 * @typedef {object} Service
 * @property {import('./settings.js').Settings} settings
 * @property {import('./telemetry.js').Telemetry} telemetry
 * @property {import('fastify').FastifyBaseLogger} log
 * @property {import('./queue.js').Queue} queue
 * @property {readonly import('./tenants.js').Tenant[]} tenants
 * @property {AbortSignal} stopping no more messages are taken
 * @property {AbortSignal} cancelled runs under way are broken off
 */

/**
 * Takes messages until `stopping`, and completes when those that were taken are dealt with.
 *
 * @param {Service} service
 * @returns {import('rxjs').Observable<import('./outcome.js').Outcome>} what became of each
 */
export function work$(service) {
  const { settings, tenants, queue, log, stopping } = service;
  const limiter = createLimiter();
  const inAll = [inFlight(settings.atOnce)];
  const stopped$ = fromEvent(stopping, 'abort');

  /**
   * One hand: pulls a message, deals with it, and pulls the next one.
   *
   * @type {(tenant: import('./tenants.js').Tenant, consumer: import('@nats-io/jetstream').Consumer) => import('rxjs').Observable<import('./outcome.js').Outcome>} */
  const hand$ = (tenant, consumer) =>
    defer(() => (stopping.aborted ? EMPTY : nextMessage(consumer).pipe(takeUntil(stopped$)))).pipe(
      concatMap((message) =>
        heldAlive(message, settings.ackWaitMs, dealWith$(service, tenant, message).pipe(limiter.hold(inAll))),
      ),
      repeat({ delay: () => (stopping.aborted ? EMPTY : of(undefined)) }),
      // The server is away for a moment, and the connection comes back by itself.
      retry({
        delay: (error) => {
          log.warn({ tenant: tenant.name, error: codeOf(error) }, 'NATS does not answer');
          return timer(settings.retryMs).pipe(takeUntil(stopped$));
        },
      }),
    );

  return from(tenants).pipe(
    mergeMap((tenant) =>
      from(queue.consumerOf(tenant.name)).pipe(
        mergeMap((consumer) => range(settings.atOncePerTenant).pipe(mergeMap(() => hand$(tenant, consumer)))),
      ),
    ),
  );
}

/**
 * Tells the server that a message is worked on, as long as it is, and while it waits for its turn.
 *
 * @template T
 * @param {import('./queue.js').Message} message
 * @param {number} ackWaitMs
 * @param {import('rxjs').Observable<T>} source$
 * @returns {import('rxjs').Observable<T>}
 */
const heldAlive = (message, ackWaitMs, source$) =>
  using(
    () => interval(ackWaitMs / 3).subscribe(() => message.working()),
    () => source$,
  );
