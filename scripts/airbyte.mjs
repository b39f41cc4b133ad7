/**
 * Runs streams of Airbyte's manifests against recorded exchanges, and prints which come out equal:
 *
 *     npm run build && node scripts/airbyte.mjs --wheels FOLDER [--sample 4] [--show | --faults] [--resume]
 *
 * The recordings and the judge are in ../shared/airbyte (its README.md). The wheels of the sources have to be in the folder
 * (oracle/download.py); streams of others are passed over. `--show` takes the shown streams instead of all the rest, `--sample`
 * at most so many of a source, `--faults` streams with a 429 once, or with a 404 for one parent (which
 * ends a run; `airbyte read` goes on); `--resume` the runs with the state of the CDK that a first run has left. A stream is `as good` if no request and no item is missing or too much, and only the numbers differ:
 * fewer logins, or windows that are all one request.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const { values } = parseArgs({
  options: {
    wheels: { type: 'string' },
    sample: { type: 'string' },
    show: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    only: { type: 'string' },
    brief: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const shared = join(root, '..', 'shared', 'airbyte');
const wheels = values.wheels ?? 'dl';
const present = new Set(
  readdirSync(wheels).map((name) => name.split('-')[0].replace('airbyte_source_', '').replaceAll('_', '-')),
);
const folder = join(shared, 'expectations', 'show');
const texts = values.show
  ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  : (values.faults
      ? readFileSync(join(shared, 'expectations', 'faults.jsonl'))
      : gunzipSync(readFileSync(join(shared, 'expectations', 'rest.jsonl.gz')))
    )
      .toString()
      .split('\n')
      .filter(Boolean);
const place = mkdtempSync(join(tmpdir(), 'headwater-airbyte-'));
const counts = new Map();
const tally = {
  equal: 0,
  'as good': 0,
  differs: 0,
  'left out': 0,
  'not looked at': 0,
  'same state': 0,
  'other state': 0,
};
/** What a state says, whatever the order of its partitions and how long the run took. */
function stateText(value) {
  const sorted = (each) => {
    if (Array.isArray(each)) return each.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof each !== 'object' || each === null) return each;
    const members = Object.entries(each)
      .filter(([key]) => key !== 'lookback_window')
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
  };
  return JSON.stringify(sorted(value));
}
const constructs = new Map();
for (const text of texts) {
  const recorded = JSON.parse(text);
  const { source, stream, state, resumed } = recorded;
  if (values.only !== undefined && values.only !== source && values.only !== `${source}_${stream}`) continue;
  if (values.resume && resumed === undefined) continue;
  const known = counts.get(source) ?? 0;
  if (!present.has(source) || known >= Number(values.sample ?? Infinity)) {
    tally['not looked at'] += 1;
    continue;
  }
  counts.set(source, known + 1);
  const [expectation, manifest] = [join(place, 'expectation.json'), join(place, `${source}.yaml`)];
  writeFileSync(expectation, values.resume ? JSON.stringify({ ...recorded, ...resumed }) : text);
  const before = join(place, 'state.json');
  const left = join(place, 'left.json');
  rmSync(left, { force: true });
  writeFileSync(
    before,
    JSON.stringify([{ type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state: state } }]),
  );
  if (!existsSync(manifest)) {
    const prepare = join(shared, 'oracle', 'prepare_text.py');
    const env = { ...process.env, WHEELS: wheels };
    writeFileSync(manifest, spawnSync('python3', [prepare, source], { env, encoding: 'utf8' }).stdout);
  }
  const command = [
    'run',
    'airbyte:{manifest}',
    '--config',
    '{config}',
    '--stream',
    '{stream}',
    '--tag',
    '--to',
    'ndjson:-',
    ...['--state', values.resume ? before : left, '--state-format', 'airbyte'],
  ];
  const judged = spawnSync(
    process.execPath,
    [join(shared, 'judge/judge.mjs'), expectation, manifest, '--', 'node', join(root, 'dist/cli/main.js'), ...command],
    { env: { ...process.env, NODE_OPTIONS: `--import ${join(shared, 'judge/now.mjs')}` }, encoding: 'utf8' },
  );
  const result = JSON.parse(judged.stdout);
  const { missing, extra, log, verdict, code } = result;
  const isSame = code === 0 && [...Object.values(missing), ...Object.values(extra)].every(({ length }) => length === 0);
  const [, why] = /can be translated\. [^:]*: (.*)/.exec(log) ?? [];
  const kind = verdict === 'equal' ? 'equal' : isSame ? 'as good' : why === undefined ? 'differs' : 'left out';
  tally[kind] += 1;
  if (isSame && !values.resume && !values.faults) {
    const isLeft = stateText(JSON.parse(readFileSync(left, 'utf8'))[0].stream.stream_state) === stateText(state);
    tally[isLeft ? 'same state' : 'other state'] += 1;
    if (!isLeft)
      console.log(
        `other state: ${source} ${stream}: ${readFileSync(left, 'utf8').slice(0, 1500)}, not ${JSON.stringify(state).slice(0, 700)}`,
      );
  }
  if (why !== undefined) constructs.set(why.split(':')[0], (constructs.get(why.split(':')[0]) ?? 0) + 1);
  if (kind !== 'equal' || values.faults)
    console.log(
      `${kind}: ${source} ${stream}${values.faults ? `, ${recorded.profile}` : ''}${why === undefined ? '' : `: ${why}`}`,
    );
  if (kind === 'differs') console.log(JSON.stringify({ missing, extra, log: log.slice(-200) }).slice(0, 600));
}
rmSync(place, { recursive: true });
console.log(tally, Object.fromEntries([...constructs].sort(([, a], [, b]) => b - a)));
