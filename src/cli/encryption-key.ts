import { execSync } from 'node:child_process';
import { createSeal, FatalError } from '..';
import type { Seal } from '..';

/** The environment variable that encrypts what runs keep: never an argument, which other users of a machine can see. */
export const KEY_VARIABLE = 'HEADWATER_KEY';
/** The environment variable with a command that prints the key, such as that of the keychain of the system. */
const COMMAND_VARIABLE = 'HEADWATER_KEY_COMMAND';

/** Keys by the commands that printed them: a keychain may ask a person, and once is enough. */
const printed = new Map<string, string>();

/**
 * The key; absent: nothing is encrypted. An empty one counts as too short: somebody meant to give one.
 *
 * @throws FatalError CONFIG_INVALID for a command that fails, and where there are both variables
 */
export function encryptionKey(): string | undefined {
  const { [KEY_VARIABLE]: key, [COMMAND_VARIABLE]: command } = process.env;
  if (command === undefined) return key;
  if (key !== undefined)
    throw new FatalError(
      'CONFIG_INVALID',
      `${COMMAND_VARIABLE} cannot stand beside ${KEY_VARIABLE}: unset one of them.`,
    );
  const known = printed.get(command) ?? printedBy(command);
  printed.set(command, known);
  return known;
}

/** What it prints on standard output is the key; a keychain that asks for a password has the terminal. */
function printedBy(command: string): string {
  try {
    return execSync(command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] }).replace(/\r?\n$/, '');
  } catch (failure) {
    // What it printed, which the failure quotes, may be the key.
    const { status, signal } = failure as { readonly status?: number | null; readonly signal?: string | null };
    const how = typeof status === 'number' ? `ended with status ${status}` : `was ended by ${String(signal)}`;
    const message = `The command in ${COMMAND_VARIABLE}, which should print the key, ${how}.`;
    throw new FatalError('CONFIG_INVALID', message);
  }
}

/** @throws FatalError CONFIG_INVALID for a key that is too short */
export function sealOfEnvironment(): Seal | undefined {
  const key = encryptionKey();
  return key === undefined ? undefined : createSeal(key);
}
