// @ts-check
/** The HTTP side: for probes and for Prometheus. */
import fastify from 'fastify';

/**
 * @param {object} service
 * @param {Pick<import('./settings.js').Settings, 'logLevel'>} service.settings
 * @param {Pick<import('./telemetry.js').Telemetry, 'answer'>} service.telemetry
 * @param {() => boolean} service.isReady whether messages are taken
 */
export function createHttp({ settings, telemetry, isReady }) {
  const http = fastify({ logger: { level: settings.logLevel } });
  // Probes come every few seconds.
  const quiet = /** @type {const} */ ({ logLevel: 'warn' });
  // The process answers: that is all that a restart could mend.
  http.get('/healthz', quiet, () => ({ status: 'alive' }));
  http.get('/readyz', quiet, (_request, reply) => {
    const ready = isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  http.get('/metrics', quiet, (request, reply) => {
    reply.hijack();
    telemetry.answer(request.raw, reply.raw);
  });
  return http;
}
