import { basename, extname } from 'node:path';
import { open } from 'node:fs/promises';
import { configurationText, discover, FatalError } from '../index';
import type { ConfigurationFormat, Discovery, DiscoverOptions, Json, WrittenRequest } from '../index';
import { describe, EXIT, statusOf } from './exit-status';
import { askMissing } from './init/ask';
import { previewOf } from './init/preview';
import { printedFindings } from './init/report';
import { requestFrom } from './init/source';
import { abortOnInterruption } from './interruption';
import { print } from './print';

export interface InitFlags {
  readonly out?: string;
  readonly yes: boolean;
  readonly name?: string;
  readonly dataField?: string;
  readonly bearer?: string;
  readonly user?: string;
  readonly header?: readonly string[];
  readonly guess: boolean;
  readonly maxRequests?: number;
}

const FORMATS: Readonly<Record<string, ConfigurationFormat>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.jsonc': 'jsonc',
  '.json': 'json',
};

/** `headwater init`: finds out how an API gives its data, and writes a configuration. Resolves to the exit status. */
export async function initCommand(source: string | undefined, flags: InitFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const isAsking = !flags.yes && process.stdin.isTTY && process.stdout.isTTY;
    const format = formatOf(flags.out);
    const request = await requestFrom(source, flags, isAsking);
    print(`Requesting ${shown(request)} …\n`);
    const options = optionsOf(flags, signal);
    const discovery = await (isAsking ? askMissing(request, options) : discover(request, options));
    print(printedFindings(discovery));
    const file = flags.out ?? `${discovery.dataType}.yaml`;
    const { configuration, comments } = discovery;
    await write(file, await configurationText(configuration, comments, format));
    print(`\nWritten to ${file}.\n\n${previewOf(discovery)}\n`);
    print(nextCommand(file, discovery));
    return EXIT.success;
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : failure;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  } finally {
    forget();
  }
}

/** The address without what may be a secret. */
function shown({ method, url }: WrittenRequest): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

const optionsOf = ({ name, dataField, guess, maxRequests }: InitFlags, signal: AbortSignal): DiscoverOptions => ({
  signal,
  guess,
  ...(name === undefined ? {} : { dataType: name }),
  ...(dataField === undefined ? {} : { dataField }),
  ...(maxRequests === undefined ? {} : { maxRequests }),
});

function formatOf(out: string | undefined): ConfigurationFormat {
  const format = out === undefined ? 'yaml' : FORMATS[extname(out).toLowerCase()];
  if (format !== undefined) return format;
  throw new FatalError('CONFIG_INVALID', `${out} has to end with .yaml, .jsonc or .json.`);
}

/** @throws FatalError CONFIG_UNREADABLE where there is such a file: it is not overwritten */
async function write(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(text).finally(() => handle.close());
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = isThere
      ? 'is there already, and is not overwritten: name another file by --out'
      : `cannot be written: ${String(cause)}`;
    throw new FatalError('CONFIG_UNREADABLE', `${file} ${why}.`, { cause });
  }
}

function nextCommand(file: string, { configuration }: Discovery): string {
  const variables = variablesIn(configuration);
  const fill =
    variables.length === 0
      ? ''
      : `The credentials were not written. Set ${variables.join(', ')} in the environment or in a file for --env-file.\n`;
  const name = basename(file).replace(/\.\w+$/, '');
  return `${fill}Next: headwater run ${quoted(file)} --to duckdb:${quoted(name)}.duckdb\n`;
}

/** The names of the variables that a configuration has its secrets from. */
function variablesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { env } = value as { readonly env?: Json };
  if (typeof env === 'string' && Object.keys(value).length === 1) return [env];
  return [...new Set(Object.values(value).flatMap(variablesIn))];
}

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
