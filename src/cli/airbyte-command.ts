import { once } from 'node:events';
import {
  airbyteStates,
  catalogMessage,
  checkMessage,
  errorMessage,
  readAirbyteManifest,
  readMessages,
  specMessage,
} from '..';
import type { AirbyteMessage, AirbyteSource, JsonObject } from '..';
import { readConfig } from './translation';
import { EXIT, abortOnInterruption, statusOf } from './exit-status';
import { jsonText, print } from './output';
import { readStateJson, sealOfEnvironment } from './state-file';

export type AirbyteCommand = 'spec' | 'check' | 'discover' | 'read';

export interface AirbyteFlags {
  readonly manifest: string;
  readonly config?: string;
  readonly catalog?: string;
  readonly state?: string;
}

/**
 * `headwater airbyte spec|check|discover|read`: speaks the protocol of Airbyte's connectors (docs/airbyte.md#in-place-of-a-connector). Nothing
 * but messages is on standard output. Resolves to the exit status.
 */
export async function airbyteCommand(command: AirbyteCommand, flags: AirbyteFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const manifest = await readAirbyteManifest(flags.manifest.replace(/^airbyte:/, ''), {
      signal,
      proxies: process.env,
    });
    if (command === 'spec') return await said(specMessage(manifest));
    const config = flags.config === undefined ? {} : await readConfig(flags.config);
    const source = { ...manifest, config, options: { signal, proxies: process.env } };
    if (command === 'check') return await said(await checkMessage(source));
    if (command === 'discover') return await said(catalogMessage(source));
    return await read(source, flags);
  } catch (failure) {
    const error: unknown = signal.aborted ? signal.reason : failure;
    await write(errorMessage(error));
    return statusOf(error);
  } finally {
    forget();
  }
}

async function read(source: AirbyteSource, { catalog = '', state }: AirbyteFlags): Promise<number> {
  const states = state === undefined ? new Map<string, JsonObject>() : airbyteStates(await stateIn(state));
  const messages = readMessages(source, await readConfig(catalog), states);
  for (;;) {
    const { value, done } = await messages.next();
    if (done === true) return value ? EXIT.success : EXIT.userError;
    await write(value);
  }
}

/** Reads a state; an empty object is none. */
async function stateIn(file: string) {
  const written = await readStateJson(file, sealOfEnvironment());
  return typeof written === 'object' && written !== null && Object.keys(written).length === 0 ? [] : written;
}

async function said(message: JsonObject): Promise<number> {
  await write(message);
  return EXIT.success;
}

/** Writes a message, and waits until standard output accepts more. */
async function write(message: AirbyteMessage): Promise<void> {
  print(message instanceof Uint8Array ? message : jsonText(message));
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
}
