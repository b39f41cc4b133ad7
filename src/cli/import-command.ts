import { configurationText } from '..';
import { translation } from './translation';
import type { ManifestFlags } from './translation';
import { EXIT, describe, statusOf } from './exit-status';
import { print } from './output';

/**
 * `headwater import airbyte:MANIFEST`: prints the configuration that a manifest is translated to, and says on standard error which streams
 * are left out. Resolves to the exit status.
 */
export async function importCommand(path: string, flags: ManifestFlags): Promise<number> {
  try {
    const { configuration, leftOut } = await translation(path, { ...flags, isKept: true });
    for (const { stream, message } of leftOut) process.stderr.write(`The stream ${stream} is left out: ${message}\n`);
    const comments = { '': [`Made of ${path}. Secrets are read from the environment: {env: NAME}.`] };
    print(await configurationText(configuration, comments, 'yaml'));
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
