/** Whether the place of a destination can be reached or written, and whether a run has it now. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../sinks/files/durable-files';
import { holdOf } from '../../sinks/files/folder-lock';
import { workFolderIn } from '../../sinks/files/folder-sink';
import { openDuckdb } from '../query/duckdb';
import { FatalError } from '../../core/errors/errors';
import { writableDiagnosis } from './machine';
import { fault, ok, warning } from './model';
import type { Diagnosis } from './model';
import { NoJetStream, reachBucket, reachNats, reachPostgres } from './servers';

const LOCAL = /^(csv|ndjson|parquet|duckdb|sqlite):(?!-$|-\?|s3:)([^?]+)/;
const BUCKET = /^(csv|ndjson|parquet):(s3:[^?]+)/;
const MOST_MILLISECONDS = 10_000;
const WAIT = 'Wait until that run ends, or name another place.';

/** @param name of the destination, without credentials */
export async function placeDiagnoses(url: string, name: string): Promise<readonly Diagnosis[]> {
  const about = `destination ${name}`;
  const [, format = '', bucket = ''] = BUCKET.exec(url) ?? [];
  if (bucket !== '') return reached(about, reachBucket(format, bucket));
  if (/^postgres(?:ql)?:/.test(url)) return reached(about, reachPostgres(url));
  if (/^(?:nats|tls):/.test(url)) return reached(about, reachNats(url));
  const [, scheme = '', place = ''] = LOCAL.exec(url) ?? [];
  if (place === '') return [];
  const local = `destination ${place}`;
  return [...writableDiagnosis(local, dirname(place)), ...(await heldDiagnoses(local, scheme, place))];
}

async function heldDiagnoses(about: string, scheme: string, place: string): Promise<readonly Diagnosis[]> {
  const isFile = scheme === 'duckdb' || scheme === 'sqlite';
  const held = await holdOf(isFile ? `${place}.headwater` : join(workFolderIn(place), 'journal'));
  if (held !== undefined) return [warning(about, sentence(held), WAIT)];
  return scheme === 'duckdb' && existsSync(place) ? openedDiagnoses(about, place) : [];
}

/** DuckDB keeps others out itself, also from a file that no run has open. */
async function openedDiagnoses(about: string, file: string): Promise<readonly Diagnosis[]> {
  try {
    await (await openDuckdb(file)).close();
    return [];
  } catch (error) {
    const code = error instanceof FatalError ? error.code : '';
    if (code === 'PACKAGE_MISSING') return [];
    return [
      code === 'DESTINATION_LOCKED'
        ? warning(about, sentence(error), WAIT)
        : fault(about, sentence(error), 'Restore the file, or name another one.'),
    ];
  }
}

async function reached(about: string, reaching: Promise<void>): Promise<readonly Diagnosis[]> {
  const late = new AbortController();
  const limit = delay(MOST_MILLISECONDS, undefined, { signal: late.signal }).then(() => {
    throw new Error('no answer came in time');
  });
  // Whichever ends second is of no interest.
  limit.catch(() => undefined);
  reaching.catch(() => undefined);
  try {
    await Promise.race([reaching, limit]);
    return [ok(about, 'can be reached, and takes the credentials')];
  } catch (error) {
    if (error instanceof FatalError && error.code === 'DESTINATION_LOCKED')
      return [warning(about, sentence(error), WAIT)];
    const isMissing = error instanceof FatalError && error.code === 'PACKAGE_MISSING';
    const remedy = isMissing
      ? 'Install that package.'
      : error instanceof NoJetStream
        ? 'Start the server with JetStream ("nats-server -js"), and give the user the right to use it.'
        : 'Check the address, the port and the credentials, and whether a firewall stands between.';
    return [fault(about, `cannot be used: ${sentence(error)}`, remedy)];
  } finally {
    late.abort();
  }
}

const sentence = (error: unknown): string => messageOf(error).replace(/\.$/, '');
