// @ts-check
/** What is done with a message: it is run, and then it is settled by what came of it. */
import { catchError, concatMap, defer, map, of, tap } from 'rxjs';
import { codeOf, outcomeOf } from './outcome.js';
import { idOf } from './queue.js';
import { runMessage } from './run.js';

/**
 * Runs a message and settles it.
 *
 * @param {import('./work.js').Service} service
 * @param {import('./tenants.js').Tenant} tenant
 * @param {import('./queue.js').Message} message
 * @returns {import('rxjs').Observable<import('./outcome.js').Outcome>}
 */
export function dealWith$(service, tenant, message) {
  const { settings, telemetry, queue, log, cancelled } = service;
  const fields = { tenant: tenant.name, message: idOf(message), delivery: message.info.deliveryCount };
  return defer(() => {
    telemetry.running.add(1);
    return runMessage(tenant, message, service).finally(() => telemetry.running.add(-1));
  }).pipe(
    map(() => /** @type {import('./outcome.js').Outcome} */ ({ type: 'done' })),
    catchError((error) =>
      of(outcomeOf(error, { deliveries: fields.delivery, isStopping: cancelled.aborted }, settings)),
    ),
    concatMap(async (outcome) => {
      if (outcome.type === 'done') message.ack();
      else if (outcome.type === 'again') message.nak(outcome.afterMs);
      else await queue.bury(message, { tenant: tenant.name, id: fields.message, error: outcome.error });
      return outcome;
    }),
    tap((outcome) => {
      telemetry.messages.add(1, { tenant: tenant.name, outcome: outcome.type });
      if (outcome.type === 'done') log.info(fields, 'extracted');
      else
        log[outcome.type === 'dead' ? 'error' : 'warn'](
          { ...fields, code: codeOf(outcome.error) },
          messageOf(outcome.error),
        );
    }),
  );
}

/** Errors of Headwater have no secrets in their messages. @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
