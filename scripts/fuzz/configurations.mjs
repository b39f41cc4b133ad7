/** Mutated configurations: each gives a plan, or a refusal whose faults say where. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, extract, parseJson } from '../../dist/index.js';
import { mutated } from './mutate.mjs';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['examples', 'examples/extensions', 'spec/end-to-end/conformance/cases', '../shared/real-configs'];

/** Configurations that people wrote. */
function written() {
  return FOLDERS.flatMap((folder) => {
    const path = join(ROOT, folder);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((name) => name.endsWith('.json'));
    return files.sort().map((name) => {
      const value = parseJson(readFileSync(join(path, name), 'utf8'));
      return folder.endsWith('cases') ? value.config : value;
    });
  });
}
const CONFIGURATIONS = written();

/** What only a program can put into a configuration. */
const ofPrograms = (random) => {
  const ring = { config: {} };
  ring.config.jobs = [ring];
  return random.pick([
    undefined,
    NaN,
    Infinity,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map([[1, 2]]),
    ring,
    Object.create(null),
  ]);
};

const make = (random) => {
  const config = mutated(random.pick(CONFIGURATIONS), random, CONFIGURATIONS);
  if (!random.chance(0.02)) return config;
  if (typeof config !== 'object' || config === null) return ofPrograms(random);
  const inner = [config, config.api, config.config, config.parameters].filter((value) => typeof value === 'object' && value !== null); // prettier-ignore
  random.pick(inner)[random.pick(['api', 'config', 'jobs', 'baseUrl', 'extra'])] = ofPrograms(random);
  return config;
};

/** @returns what became of it; throws what must not be thrown */
export function tryConfiguration(random) {
  const config = make(random);
  try {
    extract(config);
    return 'plan';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const isReported = ({ path, message }) => typeof path === 'string' && typeof message === 'string' && message !== '';
    if (error.faults.length === 0 || !error.faults.every(isReported))
      throw new Error(`a refusal that does not say where: ${error.message}`, { cause: error });
    if (error.faults.some(({ path }) => path === '') && isObject(config))
      throw new Error(`a refusal without a path: ${error.message}`, { cause: error });
    return 'refusal with a path';
  }
}

/** What a configuration may be: a fault of anything else is one of the whole of it, which has no path. */
const isObject = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
