import { checkDestinations, destinationOf, validate } from '..';
import { lookAtEach, environmentOf } from './configurations';
import type { OneConfiguration } from './configurations';
import { EXIT } from './exit-status';

export interface ValidateFlags {
  readonly lenient: boolean;
  readonly strict: boolean;
  readonly allowUnset: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
  readonly config?: string;
  readonly stream?: readonly string[];
}

/** `headwater validate CONFIG…`: prints every fault and every warning to standard error. Resolves to the worst exit status. */
export async function validateCommand(paths: readonly string[], flags: ValidateFlags): Promise<number> {
  return lookAtEach(paths, { components: flags.components, manifest: flags }, (configuration) =>
    validateOne(configuration, flags),
  );
}

function validateOne({ read, components, label }: OneConfiguration, flags: ValidateFlags): number {
  const { lenient, strict, allowUnset } = flags;
  const { jobs, warnings, unset, sinks, outputs } = validate(read.configuration, {
    ...{ lenient, components, unset: allowUnset ? 'stand in' : 'fault' },
    ...environmentOf(flags),
  });
  // Nothing is opened: this only reads their addresses.
  const made = sinks.map((url) => destinationOf(url, { components })(outputs));
  const all = [...warnings, ...checkDestinations(made, outputs)];
  for (const { path, message } of unset) process.stderr.write(`${label}not checked: ${path}: ${message}\n`);
  for (const { path, message } of all) process.stderr.write(`${label}warning: ${path}: ${message}\n`);
  if (strict && all.length > 0) {
    process.stderr.write(`${label}The configuration is refused: with --strict, every warning is an error.\n`);
    return EXIT.userError;
  }
  process.stdout.write(`${label}The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
  return EXIT.success;
}
