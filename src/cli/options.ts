/** Options that several subcommands have. */
import { InvalidArgumentError, Option } from 'commander';

const LEVELS = ['error', 'warn', 'info', 'debug'];

export const lenient = (): Option =>
  new Option('--lenient', 'warn of keys that look misspelled or misplaced, and go on').default(false);

export const components = (): Option =>
  new Option('--components <file>', 'a JavaScript module with parts of your own; may be given several times').argParser(
    collected,
  );

/** Node.js takes the long name for itself, wherever it stands (docs/language/secrets.md#variables-in-files). */
export const envFile = (): Option =>
  new Option(
    '-e, --env-file <file>',
    'lines NAME=value for {"env": NAME}, where the environment has none; may be given several times',
  ).argParser(collected);

export const logLevel = (): Option =>
  new Option('--log-level <level>', 'what to log (default: info, or debug if the configuration says so)').choices(
    LEVELS,
  );
export const logFormat = (): Option =>
  new Option('--log-format <format>', 'how to log, on standard error').choices(['text', 'json']).default('text');

export const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function integer(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an integer.');
}

export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('Expected a port, from 0 to 65535.');
}

export function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an integer from 1.');
}
