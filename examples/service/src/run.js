// @ts-check
/** One message: an extraction with its parameters, whose items go out as CloudEvents, once. */
import { sinks } from 'headwater';
import { defer, firstValueFrom, from, switchMap } from 'rxjs';
import { folderOf } from './folders.js';
import { BadMessage } from './outcome.js';
import { idOf } from './queue.js';

/**
 * What a message asks for: `{ "configuration": "stations", "parameters": { "river": "ALD" } }`. Who asks is in its subject, which a
 * server can grant.
 *
 * @param {Pick<import('./queue.js').Message, 'string'>} message
 * @returns {{ configuration: string, parameters: Readonly<Record<string, unknown>> }}
 * @throws {BadMessage}
 */
export function requestIn(message) {
  try {
    const { configuration, parameters = {} } = JSON.parse(message.string());
    const isObject = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters);
    if (typeof configuration === 'string' && isObject) return { configuration, parameters };
  } catch (cause) {
    throw new BadMessage('The message is not JSON.', { cause });
  }
  throw new BadMessage('The message has to be { "configuration": NAME, "parameters": { … } }.');
}

/**
 * Runs what a message asks for. It may be called again for the same one: what was committed is a success at once, what was
 * broken off goes on.
 *
 * @param {import('./tenants.js').Tenant} tenant
 * @param {import('./queue.js').Message} message
 * @param {object} service
 * @param {import('./settings.js').Settings} service.settings
 * @param {import('./telemetry.js').Telemetry} service.telemetry
 * @param {import('fastify').FastifyBaseLogger} service.log
 * @param {AbortSignal} service.cancelled
 * @returns {Promise<import('headwater').Delivery>}
 */
export function runMessage({ name, configOf, client$ }, message, { settings, telemetry, log, cancelled }) {
  const id = idOf(message);
  const url = new URL(settings.nats);
  url.pathname = `/${settings.streams.items}`;
  url.search = `?subject=${settings.subjects.items}.${name}&cloudevents=true`;
  const options = { workFolder: folderOf(settings.workFolder, name, id) };
  const own = log.child({ tenant: name, message: id });
  const delivery$ = defer(() => {
    const { configuration, parameters } = requestIn(message);
    const config = configOf(configuration, parameters);
    // As long as this run is subscribed to it, the client stays open.
    return client$.pipe(
      switchMap((client) =>
        from(
          client.deliver(config, [sinks.nats(url.href, options)], {
            runId: `${name}:${id}`,
            configurationName: configuration,
            signal: cancelled,
            onEvent: telemetry.onEvent,
            logger: { log: (level, text, fields) => own[levelOf(level)]({ ...fields }, text) },
          }),
        ),
      ),
    );
  });
  return telemetry.inSpan(message, name, () => firstValueFrom(delivery$));
}

/** A run is one of thousands: what it tells step by step is for who looks closely. @param {string} level */
const levelOf = (level) => (level === 'error' || level === 'warn' ? level : 'debug');
