/** Configurations that others wrote and published, checked with the built command (docs/real-configurations.md). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needsBuild } from '../support/build';

const ROOT = join(__dirname, '../..');
const FOLDER = join(ROOT, '../shared/real-configs');
const MEBIBYTE = 2 ** 20;

interface Check {
  readonly faults: readonly { readonly path: string; readonly message: string; readonly code?: string }[];
  readonly crash?: string;
}
interface Result {
  readonly file: string;
  readonly asWritten: Check;
  readonly completed: Check;
  readonly strict: Check;
  readonly run?: { readonly outcome: string; readonly message?: string };
}

/** Broken by their authors: the table of the document says how. */
const BROKEN = [
  ...['005', '014', '015', '028', '069', '078', '100', '101', '102', '105'],
  ...['106', '107', '120', '123', '144', '145', '146', '205', '207'],
];

/** Refused by `run` and `validate` without --lenient, for keys that mean nothing and look like others. */
const MISSPELLED = [
  ...['038', '049', '059', '070', '071', '096', '103', '104', '119'],
  ...['162', '169', '177', '179', '182', '183', '211', '215'],
];

const isThere = existsSync(FOLDER);
const reason = isThere ? '' : ' (skipped: ../shared/real-configs is not there, it is no part of the project)';

(isThere ? describe : describe.skip)(`221 real configurations${reason}`, () => {
  let results: readonly Result[];
  beforeAll(async () => {
    needsBuild();
    const script = join(ROOT, 'scripts/real-configurations.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, FOLDER, '--json'], {
      maxBuffer: 64 * MEBIBYTE,
    });
    results = JSON.parse(stdout) as readonly Result[];
  }, 120_000);

  it('language 9: none makes the decoder or the planner throw anything but a stated refusal', () => {
    expect(results).toHaveLength(221);
    expect(results.filter(({ asWritten, completed }) => asWritten.crash ?? completed.crash)).toEqual([]);
  });

  it('language 9: every refusal names its place', () => {
    const faults = results.flatMap(({ asWritten, completed }) => [...asWritten.faults, ...completed.faults]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter(({ path, message }) => path === '' || message === '')).toEqual([]);
  });

  it('language 1 to 8: with what their users supply, all but the broken ones are accepted', () => {
    const refused = results.filter(({ completed }) => completed.faults.length > 0).map(({ file }) => file.slice(0, 3));
    expect(refused.filter((number) => !BROKEN.includes(number))).toEqual([]);
    expect(refused).toEqual(BROKEN);
  });

  it('docs/extensions/misspelled-keys.md: a strict reading refuses 17 more, for mistakes alone', () => {
    const refused = results.filter(
      ({ completed, strict }) => completed.faults.length === 0 && strict.faults.length > 0,
    );
    expect(refused.map(({ file }) => file.slice(0, 3))).toEqual(MISSPELLED);
    const codes = refused.flatMap(({ strict }) => strict.faults.map(({ code }) => code));
    expect(new Set(codes)).toEqual(new Set(['MISTAKEN_KEY']));
  });

  it('language 9: each accepted one runs to its end, or to an error with a code', () => {
    const runs = results.flatMap(({ file, run }) => (run === undefined ? [] : [{ file, ...run }]));
    expect(runs).toHaveLength(results.length - BROKEN.length);
    expect(runs.filter(({ outcome }) => outcome === 'crash')).toEqual([]);
    expect(runs.filter(({ outcome }) => outcome === 'done').length).toBeGreaterThanOrEqual(200);
  });
});
