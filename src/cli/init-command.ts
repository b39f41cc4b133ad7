import { constants } from 'node:fs';
import { access, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { FatalError, configurationText, discover, nameOfJob } from '..';
import type {
  Comments,
  ConfigurationFormat,
  DiscoverOptions,
  Discovery,
  Imported,
  Json,
  JsonObject,
  WrittenRequest,
} from '..';
import { EXIT, abortOnInterruption, describe, interruptedBy, statusOf } from './exit-status';
import { askMissing } from './init/ask';
import { announced, discoverLists, printedDiscovery, printedLists, requestOptions } from './init/discovery';
import type { ImportedFlags } from './init/discovery';
import { agreeToHosts, headersOf, importedFrom, requestFrom, sourceOf, withAssumption } from './init/source';
import type { Source } from './init/source';
import { print, quoted, terminalWidth } from './output';
import { previewText } from './probe-text';

export interface InitFlags extends ImportedFlags {
  readonly out?: string;
  readonly yes: boolean;
  readonly name?: string;
  readonly dataField?: string;
  readonly keyed?: boolean;
  readonly bearer?: string;
  readonly user?: string;
  readonly header?: readonly string[];
  readonly baseUrl?: string;
}

/** `headwater init`: finds out how an API returns its data, and writes a configuration. Resolves to the exit status. */
export async function initCommand(source: string | undefined, flags: InitFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const isAsking = !flags.yes && process.stdin.isTTY && process.stdout.isTTY;
    const format = formatOf(flags.out);
    if (flags.out !== undefined) await refuseUnwritable(flags.out);
    const found = await foundBy(await sourceOf(source, isAsking), flags, { isAsking, signal });
    const { file } = found;
    await write(file, await configurationText(found.configuration, found.comments, format));
    print(`\nWritten to ${file}.\n\n${found.preview}\n`);
    print(nextCommand(file, found.configuration));
    return EXIT.success;
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : interruptedBy(failure);
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  } finally {
    forget();
  }
}

interface Found {
  readonly configuration: JsonObject;
  readonly comments: Comments;
  readonly file: string;
  readonly preview: string;
}

interface Around {
  readonly isAsking: boolean;
  readonly signal: AbortSignal;
}

async function foundBy(source: Source, flags: InitFlags, around: Around): Promise<Found> {
  try {
    return await foundAt(source, flags, around);
  } catch (error) {
    throw withAssumption(error, source);
  }
}

async function foundAt(source: Source, flags: InitFlags, { isAsking, signal }: Around): Promise<Found> {
  const headers = headersOf(flags);
  const { baseUrl } = flags;
  const imported = await importedFrom(source, { headers, baseUrl, signal });
  if (imported !== undefined) {
    const file = await fileOf(flags, nameOf(imported, flags));
    await agreeToHosts(source, imported, { headers, baseUrl, isAsking });
    print(announced(imported));
    const discovery = await discoverLists(imported, flags, { headers, isAsking, signal });
    print(printedLists(discovery));
    const looks = new Set<string>();
    for (const list of discovery.lists) looks.add(await previewOf(list));
    const preview = [...looks].join('\n');
    return { ...discovery, preview, file };
  }
  if (flags.job !== undefined || flags.param !== undefined)
    throw new FatalError('CONFIG_INVALID', '--job and --param are for OpenAPI documents and HARs: this is none.');
  const request = requestFrom(source, flags);
  const file = await fileOf(flags, flags.name ?? nameOfJob(request.url));
  print(`Requesting ${shown(request)} …\n`);
  const options = optionsOf(flags, signal, isAsking);
  const discovery = await (isAsking ? askMissing(request, options) : discover(request, options));
  print(printedDiscovery(discovery));
  return { ...discovery, preview: await previewOf(discovery), file };
}

/** Returns the name of the first list of a document that the user wants. */
const nameOf = ({ beginnings }: Imported, { job }: InitFlags): string =>
  beginnings.find(({ id, name }) => job === undefined || job.includes(id) || job.includes(name))?.name ?? 'api';

/** Returns the address without possible secrets. */
function shown({ method, url }: WrittenRequest): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

const optionsOf = (
  { name, dataField, guess, keyed, maxRequests }: InitFlags,
  signal: AbortSignal,
  isAsking: boolean,
): DiscoverOptions => ({
  ...requestOptions(isAsking),
  signal,
  guess,
  ...(keyed === undefined ? {} : { keyed }),
  proxies: process.env,
  ...(name === undefined ? {} : { dataType: name }),
  ...(dataField === undefined ? {} : { dataField }),
  ...(maxRequests === undefined ? {} : { maxRequests }),
});

function nextCommand(file: string, configuration: JsonObject): string {
  const variables = variablesIn(configuration);
  const fill =
    variables.length === 0
      ? ''
      : `The credentials were not written. Set ${variables.join(', ')} in the environment or in a file for --env-file.\n`;
  const name = basename(file).replace(/\.\w+$/, '');
  return `${fill}Next: headwater run ${quoted(file)} --to duckdb:${quoted(name)}.duckdb\n`;
}

/** Returns the names of the variables with the secrets of a configuration. */
function variablesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  // The body of a request may contain such an object, which is sent literally.
  if (Object.keys(value).join() === 'literal') return [];
  const { env } = value as { readonly env?: Json };
  if (typeof env === 'string' && Object.keys(value).length === 1) return [env];
  return [...new Set(Object.values(value).flatMap(variablesIn))];
}

/** Returns the output of `headwater preview` for the configuration, from the responses so far: the API gets no further requests. */
async function previewOf({ preview }: Pick<Discovery, 'preview'>): Promise<string> {
  return preview === undefined ? 'No response was seen.\n' : previewText(await preview(), terminalWidth());
}

/** The formats of the file that init writes. */
const FORMATS: Readonly<Record<string, ConfigurationFormat>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.jsonc': 'jsonc',
  '.json': 'json',
};

/** @throws FatalError CONFIG_INVALID if its name has no extension of a format */
function formatOf(out: string | undefined): ConfigurationFormat {
  const format = out === undefined ? 'yaml' : FORMATS[extname(out).toLowerCase()];
  if (format !== undefined) return format;
  throw new FatalError('CONFIG_INVALID', `${out} has to end with .yaml, .jsonc or .json.`);
}

/**
 * Returns the file to write, before the first request of the API.
 *
 * @throws FatalError CONFIG_UNREADABLE if it exists, or its folder cannot be written
 */
async function fileOf({ out }: InitFlags, name: string): Promise<string> {
  const file = out ?? `${name}.yaml`;
  await refuseUnwritable(file);
  return file;
}

/** @throws FatalError CONFIG_UNREADABLE if the file could not be written */
async function refuseUnwritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined) throw refused(`${file} ${THERE_ALREADY}.`);
  const folder = dirname(file);
  try {
    if (!(await stat(folder)).isDirectory()) throw refused(`${file} cannot be written: ${folder} is no folder.`);
    await access(folder, constants.W_OK);
  } catch (cause) {
    if (cause instanceof FatalError) throw cause;
    throw refused(`${file} cannot be written: ${whyNot(cause, folder)}.`, cause);
  }
}

/** @throws FatalError CONFIG_UNREADABLE if the file exists: it is not overwritten */
async function write(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text).finally(() => handle.close());
    } catch (error) {
      // An incomplete file is removed.
      await rm(file, { force: true });
      throw error;
    }
  } catch (cause) {
    const why = codeOf(cause) === 'EEXIST' ? THERE_ALREADY : `cannot be written: ${whyNot(cause, dirname(file))}`;
    throw refused(`${file} ${why}.`, cause);
  }
}

const THERE_ALREADY = 'is there already, and is not overwritten: name another file by --out';

const codeOf = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;

function whyNot(cause: unknown, folder: string): string {
  const code = codeOf(cause);
  if (code === 'ENOENT') return `there is no folder ${folder}: make it, or name another file by --out`;
  if (code === 'ENOTDIR') return `a part of ${folder} is no folder: name another file by --out`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `the folder ${folder} may not be written: name another file by --out`;
  return String(cause);
}

const refused = (why: string, cause?: unknown): FatalError => new FatalError('CONFIG_UNREADABLE', why, { cause });
