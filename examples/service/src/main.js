// @ts-check
/**
 * The service: starts, works until SIGTERM or SIGINT, and ends. It then takes no more messages, lets runs come to their end for a
 * while, and breaks the others off: their messages come again, and go on where they stand.
 */
import { setMaxListeners } from 'node:events';
import { exhaustMap, fromEvent, lastValueFrom, merge, switchMap, take, takeUntil, timer } from 'rxjs';
import { removeOldFolders } from './folders.js';
import { createHttp } from './http.js';
import { openQueue } from './queue.js';
import { settingsFrom } from './settings.js';
import { startTelemetry } from './telemetry.js';
import { readTenants } from './tenants.js';
import { work$ } from './work.js';

const CLEANING_MS = 3600 * 1000;

const settings = settingsFrom(process.env);
const telemetry = await startTelemetry(settings);
const [stopping, cancelling, ended] = [new AbortController(), new AbortController(), new AbortController()];
// Each run and each hand listens to them.
for (const { signal } of [stopping, cancelling, ended]) setMaxListeners(0, signal);

const tenants = readTenants(settings, telemetry, ended.signal);
const queue = await openQueue(settings);
const isReady = () => queue.isConnected() && !stopping.signal.aborted;
const http = createHttp({ settings, telemetry, isReady });
const { log } = http;
await http.listen({ host: settings.host, port: settings.port });

const stopped$ = fromEvent(stopping.signal, 'abort');
merge(fromEvent(process, 'SIGTERM'), fromEvent(process, 'SIGINT'))
  .pipe(take(1), takeUntil(fromEvent(ended.signal, 'abort')))
  .subscribe(() => {
    log.info('stopping: no more messages are taken');
    stopping.abort();
  });
stopped$
  .pipe(
    switchMap(() => timer(settings.graceMs)),
    takeUntil(fromEvent(ended.signal, 'abort')),
  )
  .subscribe(() => {
    log.warn('the grace time is over: runs are broken off');
    cancelling.abort(new Error('The service stops.'));
  });
timer(0, CLEANING_MS)
  .pipe(
    exhaustMap(() => removeOldFolders(settings.workFolder, 2 * settings.keepMs)),
    takeUntil(stopped$),
  )
  .subscribe({ error: (error) => log.error({ error: String(error) }, 'old work folders cannot be removed') });

const service = { settings, telemetry, log, queue, tenants, stopping: stopping.signal, cancelled: cancelling.signal };
try {
  await lastValueFrom(work$(service), { defaultValue: undefined });
} catch (error) {
  log.fatal({ error: String(error) }, 'the service cannot go on');
  process.exitCode = 1;
} finally {
  ended.abort(new Error('The service has ended.'));
  await queue.close();
  await http.close();
  await telemetry.stop();
}
