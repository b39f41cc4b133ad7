/** docs/coming-from/: what stands beside each other there reads the same of the same API. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { extract, validate } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { fencesOf } from '../../support/page-examples';
import { BASE, numberIn, sliceOf, urlOf } from '../../support/shapes/shape';

type Names = 'stations' | 'levels';
type Items = Record<Names, JsonObject[]>;

const STATIONS = [1, 2, 3, 4, 5].map((id) => ({ id, name: `Station ${id}` }));
const levelsOf = (id: number) => [
  { at: `${id} early`, cm: id * 10 },
  { at: `${id} late`, cm: id * 10 + 1 },
];
const ALL: Items = { stations: STATIONS, levels: STATIONS.flatMap(({ id }) => levelsOf(id)) };

const startApi = async (): Promise<ApiServer> =>
  startServer((request) => {
    if (request.headers.authorization !== 'Bearer b7d1') return json({ error: 'who?' }, 401);
    const url = urlOf(request);
    const id = /^\/v1\/stations\/(\d)\/levels$/.exec(url.pathname)?.[1];
    if (id !== undefined) return json({ levels: levelsOf(Number(id)) });
    const stations = sliceOf(STATIONS, numberIn(url, 'offset', 0), numberIn(url, 'limit', 2));
    return json({ stations, total: STATIONS.length });
  });

const fencesIn = (name: string, info: string): readonly string[] =>
  fencesOf(readFileSync(join(__dirname, `../../../docs/coming-from/${name}.md`), 'utf8')).flatMap((fence) =>
    fence.info === info ? [fence.text] : [],
  );

const PYTHON = join(process.env.RIVALS_VENV ?? join(tmpdir(), 'headwater-rivals'), 'bin/python');
const canRun = existsSync(PYTHON);
const reason = canRun ? '' : ' (skipped: bench/rivals/install.sh has not been run)';
const MINUTES = 180_000;

/** What a Python program prints: an object with all items. */
async function printed(program: string, files: Readonly<Record<string, string>> = {}): Promise<Items> {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-coming-from-'));
  try {
    for (const [name, text] of Object.entries({ 'main.py': program, ...files }))
      writeFileSync(join(folder, name), text);
    const env = { ...process.env, RUNTIME__DLTHUB_TELEMETRY: 'false', RUNTIME__LOG_LEVEL: 'ERROR' };
    const { stdout } = await promisify(execFile)(PYTHON, ['main.py'], { cwd: folder, env });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Items;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PRINT_DLT = `
import json
print(json.dumps({name: list(source.resources[name]) for name in ("stations", "levels")}))
`;

const READ_MANIFEST = `
import json, logging, yaml
from airbyte_cdk.models import Type, ConfiguredAirbyteCatalogSerializer
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource
stream = lambda name: {
    "stream": {"name": name, "json_schema": {}, "supported_sync_modes": ["full_refresh"]},
    "sync_mode": "full_refresh", "destination_sync_mode": "append"}
catalog = ConfiguredAirbyteCatalogSerializer.load({"streams": [stream("stations"), stream("levels")]})
manifest = yaml.safe_load(open("manifest.yaml").read())
config = {"token": "b7d1"}
logging.disable(logging.CRITICAL)
source = ConcurrentDeclarativeSource(catalog=catalog, config=config, state=[], source_config=manifest)
items = {"stations": [], "levels": []}
for message in source.read(logging.getLogger("airbyte"), config, catalog, []):
    if message.type == Type.RECORD:
        items[message.record.stream].append(message.record.data)
print(json.dumps(items))
`;

/** In the order of the API, without what a tool adds. */
const plain = ({ stations, levels }: Items): Items => ({
  stations: [...stations].sort((one, other) => Number(one.id) - Number(other.id)),
  levels: levels
    .map(({ at = null, cm = null }) => ({ at, cm }))
    .sort((one, other) => Number(one.cm) - Number(other.cm)),
});

describe('docs/coming-from/', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(async () => api.close());

  describe.each(['dlt', 'airbyte'])('%s.md', (name) => {
    it('has a configuration that is valid, and reads all that the API has', async () => {
      const [text = '', ...others] = fencesIn(name, 'yaml');
      expect(others).toEqual([]);
      const configuration = parse(text.replaceAll(BASE, api.origin)) as JsonObject;
      expect(validate(configuration).warnings).toEqual([]);
      const items: Record<Names, Json[]> = { stations: [], levels: [] };
      for await (const page of extract(configuration).pages()) items[page.job.dataType as Names].push(...page.items);
      expect(items).toEqual(ALL);
    });
  });

  (canRun ? it : it.skip)(
    `dlt.md has a source that dlt takes, which reads the same${reason}`,
    async () => {
      const [program = '', ...others] = fencesIn('dlt', 'python');
      expect(others).toEqual([]);
      const items = await printed(program.replaceAll(BASE, api.origin) + PRINT_DLT);
      expect(items.levels[0]).toMatchObject({ _stations_id: 1 });
      expect(plain(items)).toEqual(ALL);
    },
    MINUTES,
  );

  (canRun ? it : it.skip)(
    `a manifest of Airbyte for the same API, which its CDK takes, reads the same${reason}`,
    async () => {
      const manifest = readFileSync(join(__dirname, 'coming-from-airbyte.yaml'), 'utf8');
      const items = await printed(READ_MANIFEST, { 'manifest.yaml': manifest.replaceAll(BASE, api.origin) });
      expect(plain(items)).toEqual(ALL);
      // Each page of the parents, for the stream of their own and for that of the children.
      const pagesOfParents = api.requests.filter(({ url }) => url.startsWith('/v1/stations?'));
      expect(pagesOfParents.length).toBeGreaterThan(3);
    },
    MINUTES,
  );
});
