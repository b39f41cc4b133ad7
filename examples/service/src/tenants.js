// @ts-check
/** The tenants: each has credentials, and one client that its runs share while there are any, and for a while after. */
import { readdirSync } from 'node:fs';
import { client } from 'headwater';
import { fromEvent, merge, Observable, ReplaySubject, share, timer } from 'rxjs';
import { configurationsFor } from './configurations.js';
import { readJson } from './settings.js';

/** A tenant is one token of a subject, and a folder. */
const NAME = /^([a-z0-9][a-z0-9_-]{0,62})\.json$/i;

/**
 * @typedef {object} Tenant
 * @property {string} name
 * @property {ReturnType<typeof configurationsFor>['configOf']} configOf
 * @property {Observable<import('headwater').Client>} client$ emits the client; it is open as long as somebody is subscribed, and
 *   `idleMs` longer. Two tenants share nothing: neither logins nor connections nor limits.
 */

/**
 * Reads the tenants: `acme.json` in the folder of credentials is the tenant `acme`.
 *
 * @param {import('./settings.js').Settings} settings
 * @param {import('./telemetry.js').Telemetry} telemetry
 * @param {AbortSignal} ended closes the clients that are idle, when no run will come any more
 * @returns {readonly Tenant[]}
 */
export function readTenants(settings, telemetry, ended) {
  const names = readdirSync(settings.credentialsFolder).flatMap((file) => NAME.exec(file)?.[1] ?? []);
  if (names.length === 0) throw new Error(`There are no credentials in ${settings.credentialsFolder}: NAME.json each.`);
  return names.map((name) => {
    const credentials = readJson(settings.credentialsFolder, `${name}.json`);
    const { api, configOf } = configurationsFor(settings, credentials);
    const open$ = new Observable((subscriber) => {
      const opened = client(api, {
        credentials,
        components: telemetry.components,
        ...(settings.ratePerTenant > 0 ? { rate: settings.ratePerTenant } : {}),
      });
      telemetry.clients.add(1);
      subscriber.next(opened);
      return () => {
        telemetry.clients.add(-1);
        void opened.close();
      };
    });
    const client$ = open$.pipe(
      share({
        connector: () => new ReplaySubject(1),
        // A login outlives the run that asked for it. Not for ever: connections and timers are let go.
        resetOnRefCountZero: () => merge(timer(settings.idleMs), fromEvent(ended, 'abort')),
      }),
    );
    return { name, configOf, client$ };
  });
}
