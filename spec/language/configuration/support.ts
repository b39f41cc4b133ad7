import { isLeft } from 'fp-ts/lib/Either';
import { decodeConfiguration } from '../../support/language';
import type { DecodeOptions } from '../../../src/language/configuration/decode';
import type { Configuration, Job, IterationConfiguration } from '../../../src/language/configuration/configuration';
import { faultLine } from '../../../src/core/errors/errors';

type Part = Readonly<Record<string, unknown>>;

/** The least configuration, with more in `api` and `config`. */
export const configuration = (api: Part = {}, config: Part = {}, beside: Part = {}): Part => ({
  api: { baseUrl: 'https://api.example.com/', ...api },
  config: { jobs: [{ endpoint: 'items' }], ...config },
  ...beside,
});

/** {@link configuration} with one job. */
export const withJob = (job: Part, api: Part = {}): Part =>
  configuration(api, { jobs: [{ endpoint: 'items', ...job }] });

/** The faults as lines; none when the configuration was accepted. */
export function faults(input: unknown): readonly string[] {
  const result = decodeConfiguration(input);
  return isLeft(result) ? result.left.map(faultLine) : [];
}

/** The decoded configuration; a refusal fails the spec with all its faults. */
export function accepted(input: unknown, options?: Partial<DecodeOptions>): Configuration {
  const result = decodeConfiguration(input, options);
  if (isLeft(result)) throw new Error(result.left.map(faultLine).join('\n'));
  return result.right;
}

/** The warnings of a lenient reading, as lines. */
export const warnings = (input: unknown): readonly string[] =>
  accepted(input, { lenient: true }).warnings.map(faultLine);

/** The keys that are refused as mistakes, as lines. */
export function mistakes(input: unknown): readonly string[] {
  const result = decodeConfiguration(input);
  return isLeft(result) ? result.left.filter(({ code }) => code === 'MISTAKEN_KEY').map(faultLine) : [];
}

/** The first run. */
export function run(input: unknown): IterationConfiguration {
  const [first] = accepted(input).iterations;
  if (first === undefined) throw new Error('no run');
  return first;
}

/** The first job of the first run. */
export function job(input: unknown): Job {
  const [first] = run(input).settings.jobs;
  if (first === undefined) throw new Error('no job');
  return first;
}
