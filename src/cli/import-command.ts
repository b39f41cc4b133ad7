import { configurationText } from '..';
import { translation } from './translation';
import type { ManifestFlags } from './translation';
import { EXIT, describe, statusOf } from './exit-status';
import { refused, written } from './new-command';
import { print } from './output';

/**
 * `headwater import airbyte:MANIFEST`: prints the configuration that a manifest is translated to, and says on standard error which streams
 * are left out. Resolves to the exit status.
 *
 * @param to `-` for standard output, else a new file, as `headwater new airbyte:NAME` writes it
 */
export async function importCommand(path: string, flags: ManifestFlags, to = '-'): Promise<number> {
  try {
    const { configuration, leftOut } = await translation(path, { ...flags, isKept: true });
    for (const { stream, message } of leftOut) process.stderr.write(`The stream ${stream} is left out: ${message}\n`);
    const comments = { '': [`Made of ${path}. Secrets are read from the environment: {env: NAME}.`] };
    const text = await configurationText(configuration, comments, 'yaml');
    if (to === '-') {
      print(text);
      return EXIT.success;
    }
    const fault = written(to, text);
    if (fault !== undefined) return refused(fault);
    print(`${to} is written. Its first line says where secrets are read from.\n\nThen: headwater run ${to}\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
