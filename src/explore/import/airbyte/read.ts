/** Reads a manifest of Airbyte from a file, a folder, or a wheel (docs/airbyte.md). */
import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FatalError } from '../../../core/errors/errors';
import { isObject } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { contentOf, filesIn, isZip } from '../../../http/formats/zip';
import { readJsonText } from '../../../language/reading/json';
import { UnreadableText } from '../../../language/reading/source';
import { readYamlText } from '../../../language/reading/yaml';
import { Unreadable } from '../../../language/parts/errors';
import { fetchAirbyteSource, isSourceName } from './fetch';
import type { FetchAirbyteOptions } from './fetch';

/** A manifest with the schemas that lie beside it. */
export interface AirbyteManifest {
  readonly manifest: JsonObject;
  /** Schemas by the end of their paths, such as `schemas/orders.json`. */
  readonly schemas: ReadonlyMap<string, Json>;
  /** The specification beside the manifest, where the manifest has none. */
  readonly spec?: JsonObject;
}

const NAME = 'manifest.yaml';

/**
 * Reads a manifest.
 *
 * @param place a manifest, the folder that has it, the wheel of a source, or the name of a published source with its version, such as
 *   `orders@1.2.3`, which is fetched unless there is a file of that name
 * @throws FatalError CONFIG_UNREADABLE
 * @example const { manifest, schemas } = await readAirbyteManifest('source_orders/manifest.yaml');
 */
export async function readAirbyteManifest(place: string, options: FetchAirbyteOptions = {}): Promise<AirbyteManifest> {
  if (isSourceName(place) && !(await isThere(place)))
    return readAirbyteManifest(await fetchAirbyteSource(place, options));
  try {
    const isFolder = (await stat(place)).isDirectory();
    const file = isFolder ? join(place, NAME) : place;
    const bytes = await readFile(file);
    return isZip(bytes) ? manifestInWheel(bytes) : await manifestAt(dirname(file), bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof FatalError) throw error;
    const isTold = error instanceof UnreadableText || error instanceof Unreadable;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : undefined;
    const why = isTold ? error.message : missing;
    if (why === undefined) throw error;
    throw new FatalError('CONFIG_UNREADABLE', `The manifest ${place} cannot be read: ${why}.`, { cause: error });
  }
}

const isThere = (place: string): Promise<boolean> =>
  stat(place).then(
    () => true,
    () => false,
  );

const manifestOf = (text: string): JsonObject => {
  const { value } = readYamlText(text);
  if (isObject(value)) return value;
  throw new UnreadableText('it is no object');
};

async function manifestAt(folder: string, text: string): Promise<AirbyteManifest> {
  const schemas = new Map<string, Json>();
  const beside = join(folder, 'schemas');
  for (const name of await readdir(beside).catch(() => []))
    if (name.endsWith('.json')) schemas.set(`schemas/${name}`, jsonOf(await readFile(join(beside, name), 'utf8')));
  const spec = await Promise.all(
    SPECS.map((name) =>
      readFile(join(folder, name), 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }),
    ),
  );
  return { manifest: manifestOf(text), schemas, ...specIn(spec) };
}

/** The names of specifications. */
const SPECS = ['spec.yaml', 'spec.json'];

/** Returns the specification in the first file that there is. */
function specIn(texts: readonly (string | undefined)[]): Pick<AirbyteManifest, 'spec'> {
  const text = texts.find((each) => each !== undefined);
  return text === undefined ? {} : { spec: manifestOf(text) };
}

function manifestInWheel(bytes: Uint8Array): AirbyteManifest {
  const files = filesIn(bytes);
  const [file] = files.filter(({ name }) => name.endsWith(NAME)).sort((a, b) => a.name.length - b.name.length);
  if (file === undefined) throw new Unreadable(`the wheel has no ${NAME}: the source is not declarative`);
  const textOf = (entry: (typeof files)[number]): string => Buffer.from(contentOf(bytes, entry)).toString('utf8');
  const schemas = files.flatMap((entry) => {
    const path = /schemas\/[^/]+\.json$/.exec(entry.name)?.[0];
    return path === undefined ? [] : [[path, jsonOf(textOf(entry))] as const];
  });
  const spec = SPECS.map((name) => files.find((entry) => entry.name.endsWith(`/${name}`)));
  return {
    manifest: manifestOf(textOf(file)),
    schemas: new Map(schemas),
    ...specIn(spec.map((entry) => (entry === undefined ? undefined : textOf(entry)))),
  };
}

const jsonOf = (text: string): Json => readJsonText(text).value;
