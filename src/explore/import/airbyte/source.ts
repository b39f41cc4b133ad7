/** The manifest of a source: read from a file, a folder or a wheel, which is fetched by its name from an index of Python packages (docs/airbyte.md). */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { FatalError, HeadwaterError } from '../../../core/errors/errors';
import { isObject, listAt, stringAt, valueBelow } from '../../../core/json/objects';
import { makeFolders } from '../../../core/make-folders';
import type { Json, JsonObject } from '../../../core/model';
import { contentOf, filesIn, isZip } from '../../../http/formats/zip';
import { Unreadable } from '../../../language/parts/errors';
import { readJsonText } from '../../../language/reading/json';
import { UnreadableText } from '../../../language/reading/source';
import { readYamlText } from '../../../language/reading/yaml';
import { client } from '../../../run/client';
import type { TransportChoice } from '../../../run/sessions/sessions';

/** A manifest with the schemas that lie beside it. */
export interface AirbyteManifest {
  readonly manifest: JsonObject;
  /** Schemas by the end of their paths, such as `schemas/orders.json`. */
  readonly schemas: ReadonlyMap<string, Json>;
  /** The specification beside the manifest, where the manifest has none. */
  readonly spec?: JsonObject;
}

const MANIFEST = 'manifest.yaml';

/**
 * Reads a manifest.
 *
 * @param place a manifest, the folder that has it, the wheel of a source, or the name of a published source with its version, such as
 *   `orders@1.2.3`, which is fetched unless there is a file of that name
 * @throws FatalError CONFIG_UNREADABLE
 * @example const { manifest, schemas } = await readAirbyteManifest('source_orders/manifest.yaml');
 */
export async function readAirbyteManifest(place: string, options: FetchAirbyteOptions = {}): Promise<AirbyteManifest> {
  if (NAME.test(place) && !existsSync(place)) return readAirbyteManifest(await fetchAirbyteSource(place, options));
  try {
    const isFolder = (await stat(place)).isDirectory();
    const file = isFolder ? join(place, MANIFEST) : place;
    const bytes = await readFile(file);
    return isZip(bytes) ? manifestInWheel(bytes) : await manifestAt(dirname(file), basename(file));
  } catch (error) {
    if (error instanceof FatalError) throw error;
    const isTold = error instanceof UnreadableText || error instanceof Unreadable;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : undefined;
    const why = isTold ? error.message : missing;
    if (why === undefined) throw error;
    throw new FatalError('CONFIG_UNREADABLE', `The manifest ${place} cannot be read: ${why}.`, { cause: error });
  }
}

const manifestAt = async (folder: string, name: string): Promise<AirbyteManifest> => {
  const schemas = (await readdir(join(folder, 'schemas')).catch(() => [])).filter((each) => each.endsWith('.json'));
  const specs = SPECS.filter((each) => existsSync(join(folder, each)));
  const read = [name, ...specs, ...schemas.map((each) => `schemas/${each}`)].map(
    async (path) => [path, await readFile(join(folder, path), 'utf8')] as const,
  );
  return manifestOf(name, new Map(await Promise.all(read)));
};

function manifestInWheel(bytes: Uint8Array): AirbyteManifest {
  const entries = filesIn(bytes);
  const [file] = entries.filter(({ name }) => name.endsWith(MANIFEST)).sort((a, b) => a.name.length - b.name.length);
  if (file === undefined) throw new Unreadable(`the wheel has no ${MANIFEST}: the source is not declarative`);
  const read = entries.flatMap((entry) => {
    const path =
      entry === file ? MANIFEST : /(?:^|\/)(schemas\/[^/]+\.json|spec\.(?:yaml|json))$/.exec(entry.name)?.[1];
    return path === undefined ? [] : [[path, Buffer.from(contentOf(bytes, entry)).toString('utf8')] as const];
  });
  return manifestOf(MANIFEST, new Map(read));
}

/** The names of specifications. */
const SPECS = ['spec.yaml', 'spec.json'];

/** @param texts those of the manifest and of what lies beside it, by their paths */
function manifestOf(name: string, texts: ReadonlyMap<string, string>): AirbyteManifest {
  const objectIn = (path: string): JsonObject => {
    const { value } = readYamlText(texts.get(path) ?? '');
    if (isObject(value)) return value;
    throw new UnreadableText('it is no object');
  };
  const spec = SPECS.find((each) => texts.has(each));
  const schemas = [...texts].filter(([path]) => path.startsWith('schemas/'));
  return {
    manifest: objectIn(name),
    schemas: new Map(schemas.map(([path, text]) => [path, readJsonText(text).value])),
    ...(spec === undefined ? {} : { spec: objectIn(spec) }),
  };
}

/** How a source is fetched. */
export interface FetchAirbyteOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** The variables that name the index and the folder of caches; default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The form `NAME` or `NAME@VERSION` of a published source. */
const NAME = /^([a-z\d]+(?:-[a-z\d]+)*)(?:@(\d+(?:\.\d+)*))?$/;
const PYPI = 'https://pypi.org/simple';

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
  const kept = join(folder, keptName(name, version));
  if (existsSync(kept)) return kept;
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
    if (existsSync(file)) return file;
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

const wheelsIn = (listed: Json): readonly Wheel[] =>
  listAt(listed, 'files').flatMap((file): readonly Wheel[] => {
    const [url, sha256] = [stringAt(file, 'url'), stringAt(valueBelow(file, 'hashes'), 'sha256')];
    const version = /^[^-]+-(\d+(?:\.\d+)*)-.*\.whl$/.exec(stringAt(file, 'filename') ?? '')?.[1];
    const isYanked = (valueBelow(file, 'yanked') ?? false) !== false;
    if (isYanked || version === undefined || url === undefined || sha256 === undefined) return [];
    return [{ version, url, sha256: sha256.toLowerCase() }];
  });

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
