/** An API whose answers a spec sets, and a folder for what runs make of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src';
import { json } from './answers';
import { startServer } from './api-server';
import type { ApiServer } from './api-server';

export interface TableRuns {
  readonly server: ApiServer;
  readonly folder: string;
  /** The body of each answer by the address of the request; others are an empty array. */
  answers: Record<string, Json>;
  readonly configOf: (jobs: Json, settings?: JsonObject) => Json;
}

/** Makes them before each spec, and removes them after it. */
export function tableRuns(): TableRuns {
  const made: { server?: ApiServer; folder?: string } = {};
  const runs: TableRuns = {
    get server() {
      return made.server as ApiServer;
    },
    get folder() {
      return made.folder as string;
    },
    answers: {},
    configOf: (jobs, settings = {}) => ({ api: { baseUrl: runs.server.origin }, config: { jobs, ...settings } }),
  };
  beforeEach(async () => {
    runs.answers = {};
    made.server = await startServer(({ url }) => json(runs.answers[url] ?? []));
    made.folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await runs.server.close();
    await rm(runs.folder, { recursive: true });
  });
  return runs;
}
