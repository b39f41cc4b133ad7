/** Fetches the wheel of a published source by its name from an index of Python packages (docs/airbyte.md#by-name). */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { FatalError, HeadwaterError } from '../../../core/errors/errors';
import { isList, isObject, ownValue } from '../../../core/json/objects';
import { makeFolders } from '../../../core/make-folders';
import type { Json } from '../../../core/model';
import { readJsonText } from '../../../language/reading/json';
import { client } from '../../../run/client';
import type { TransportChoice } from '../../../run/sessions/sessions';

/** How a source is fetched. */
export interface FetchAirbyteOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** The variables that name the index and the folder of caches; default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

const NAME = /^([a-z\d]+(?:-[a-z\d]+)*)(?:@(\d+(?:\.\d+)*))?$/;
const PYPI = 'https://pypi.org/simple';

/** Returns whether a string has the form `NAME` or `NAME@VERSION` of a published source. */
export const isSourceName = (text: string): boolean => NAME.test(text);

/**
 * Fetches the wheel of a source, unless it is in the cache; without a version, the latest one.
 *
 * @param source `NAME` or `NAME@VERSION`
 * @returns the path of the wheel
 * @throws FatalError CONFIG_UNREADABLE, with the way to have it by hand
 * @example await fetchAirbyteSource('orders@1.2.3')
 */
export async function fetchAirbyteSource(source: string, options: FetchAirbyteOptions = {}): Promise<string> {
  const { env = process.env } = options;
  const [, name = '', version] = NAME.exec(source) ?? [];
  const project = `airbyte-source-${name}`;
  const folder = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'headwater', 'airbyte');
  const kept = (await readdir(folder).catch(() => [])).find((file) => file === keptName(name, version));
  if (kept !== undefined) return join(folder, kept);
  try {
    return await download({ project, name, version, folder }, options);
  } catch (error) {
    if (!(error instanceof HeadwaterError || error instanceof Unfit)) throw error;
    const wanted = version === undefined ? project : `${project}==${version}`;
    throw new FatalError(
      'CONFIG_UNREADABLE',
      `The source ${source} is no file here, and cannot be fetched: ${error.message} ` +
        `By hand: "pip download --no-deps ${wanted}", and then airbyte: with the path of the wheel.`,
      { cause: error },
    );
  }
}

/** An answer of an index that cannot be used. */
class Unfit extends Error {}

interface Wanted {
  readonly project: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly folder: string;
}

const keptName = (name: string, version: string | undefined): string => `${name}-${version ?? ''}.whl`;

async function download(
  { project, name, version, folder }: Wanted,
  { env = process.env, signal, ...transport }: FetchAirbyteOptions,
): Promise<string> {
  const { index, headers } = indexIn(env);
  const own = client(
    { baseUrl: index.href, retryConfig: { maxRetries: 2 } },
    { ...transport, ...(signal === undefined ? {} : { signal }) },
  );
  const get = async (url: URL, accept: string): Promise<Uint8Array> => {
    const carried = url.origin === index.origin ? headers : {};
    const response = await firstValueFrom(
      own.request({ method: 'GET', url: url.href, headers: { accept, ...carried } }),
    );
    if (response.status === 200) return response.body;
    throw new Unfit(`${url.host} answers with status ${response.status}.`);
  };
  try {
    const place = new URL(`${index.pathname.replace(/\/*$/, '')}/${project}/`, index);
    const listed = Buffer.from(await get(place, 'application/vnd.pypi.simple.v1+json')).toString('utf8');
    const wheel = chosen(wheelsIn(jsonOf(listed)), version);
    if (wheel === undefined)
      throw new Unfit(version === undefined ? 'It has no wheel there.' : `There is no version ${version} of it.`);
    const file = join(folder, keptName(name, wheel.version));
    if (
      await readFile(file).then(
        () => true,
        () => false,
      )
    )
      return file;
    const content = await get(secure(new URL(wheel.url, place)), '*/*');
    if (createHash('sha256').update(content).digest('hex') !== wheel.sha256)
      throw new Unfit('Its wheel is not the one that the index describes: the SHA-256 differs.');
    await makeFolders(folder);
    const temporary = join(folder, randomUUID());
    await writeFile(temporary, content);
    await rename(temporary, file);
    return file;
  } finally {
    await own.close();
  }
}

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

function secure(url: URL): URL {
  if (url.protocol === 'https:' || LOCAL.has(url.hostname)) return url;
  throw new Unfit(`${url.host} is not asked without https:.`);
}

/** Returns the index that the variables name, as pip and uv read them, and its credentials. */
function indexIn(env: Readonly<Record<string, string | undefined>>): {
  readonly index: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const written = [env['PIP_INDEX_URL'], env['UV_INDEX_URL']].find((each) => each !== undefined && each !== '') ?? PYPI;
  if (!URL.canParse(written)) throw new Unfit('PIP_INDEX_URL or UV_INDEX_URL is no address.');
  const index = secure(new URL(written));
  const { username, password } = index;
  index.username = '';
  index.password = '';
  if (username === '' && password === '') return { index, headers: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { index, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function jsonOf(text: string): Json {
  try {
    return readJsonText(text).value;
  } catch {
    throw new Unfit('The index does not answer with JSON, as PEP 691 has it.');
  }
}

interface Wheel {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}

function wheelsIn(listed: Json): readonly Wheel[] {
  const files = isObject(listed) ? ownValue(listed, 'files') : undefined;
  return (isList(files) ? files : []).flatMap((file): readonly Wheel[] => {
    if (!isObject(file) || (ownValue(file, 'yanked') ?? false) !== false) return [];
    const [name, url, hashes] = ['filename', 'url', 'hashes'].map((key) => ownValue(file, key));
    const version = typeof name === 'string' ? /^[^-]+-(\d+(?:\.\d+)*)-.*\.whl$/.exec(name)?.[1] : undefined;
    const sha256 = isObject(hashes) ? ownValue(hashes, 'sha256') : undefined;
    if (version === undefined || typeof url !== 'string' || typeof sha256 !== 'string') return [];
    return [{ version, url, sha256: sha256.toLowerCase() }];
  });
}

const chosen = (wheels: readonly Wheel[], version: string | undefined): Wheel | undefined =>
  version === undefined
    ? [...wheels].sort((a, b) => -compareVersions(a.version, b.version))[0]
    : wheels.find((wheel) => compareVersions(wheel.version, version) === 0);

/** Returns the order of two versions, part by part. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(x?.length ?? 0, y?.length ?? 0); at += 1) {
    const order = (x?.[at] ?? 0) - (y?.[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
