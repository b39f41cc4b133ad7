// @ts-check
/** What may be extracted: one API, and a file of jobs a configuration, with the parameters that messages fill in. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepare } from 'headwater';
import { BadMessage } from './outcome.js';
import { readJson } from './settings.js';

/**
 * Reads and checks all configurations for one tenant.
 *
 * @param {import('./settings.js').Settings} settings
 * @param {import('headwater').JsonObject} credentials
 * @throws {import('headwater').ConfigurationError} with every fault: a service that is set up wrongly does not start
 */
export function configurationsFor({ configFolder, apiUrl }, credentials) {
  const file = readJson(configFolder, 'api.json');
  const api = apiUrl === undefined ? file : { ...file, baseUrl: apiUrl };
  const jobs = join(configFolder, 'jobs');
  const prepared = new Map(
    readdirSync(jobs).map((name) => [basename(name, '.json'), load(api, credentials, jobs, name)]),
  );
  return {
    api,
    /**
     * The section `config` for a message.
     *
     * @param {string} name
     * @param {Readonly<Record<string, unknown>>} parameters
     * @throws {Error} BadMessage for an unknown name; ConfigurationError for parameters that do not fit
     */
    configOf: (name, parameters) => {
      const found = prepared.get(name);
      if (found === undefined) throw new BadMessage(`There is no configuration ${JSON.stringify(name)}.`);
      return found(parameters);
    },
  };
}

/**
 * @param {object} api
 * @param {import('headwater').JsonObject} credentials
 * @param {string} folder
 * @param {string} name
 */
function load(api, credentials, folder, name) {
  /** @type {{ parameters?: import('headwater').Parameters, config: object }} */
  const { parameters = {}, config } = readJson(folder, name);
  // Credentials are there for the check alone. In a run they come from the client of the tenant.
  const { configuration } = prepare({ api, config: { ...credentials, ...config } }, { parameters });
  const secret = new Set(Object.keys(credentials));
  /** @param {Readonly<Record<string, unknown>>} values */
  return (values) => {
    const typed = Object.entries(values).map(([key, value]) => [key, isDate(parameters[key]) ? dateOf(value) : value]);
    const whole = /** @type {object} */ (configuration(Object.fromEntries(typed))['config']);
    return Object.fromEntries(Object.entries(whole).filter(([key]) => !secret.has(key)));
  };
}

/** @param {import('headwater').Parameters[string] | undefined} parameter */
const isDate = (parameter) => (typeof parameter === 'string' ? parameter : parameter?.type) === 'date';

/** JSON has no dates: they come as strings of ISO 8601. @param {unknown} value */
const dateOf = (value) => (typeof value === 'string' ? new Date(value) : value);
