/** Files of an unfinished run that somebody else has changed: the right rows come of them, or an error that says what to do. */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { sinks } from '../../../src';
import { HeadwaterError } from '../../../src/core/errors/errors';
import type { DurableSink } from '../../../src/core/durable-sink';
import type { JsonObject, Page } from '../../../src/core/model';
import type { Destination } from '../../../src/language/parts/sink';
import { ndjsonFolder } from '../../../src/sinks/ndjson';
import { parquetFolder } from '../../../src/sinks/parquet';
import { runsOf } from '../../support/cases';
import { damage, damages, filesIn } from '../../support/damage';
import type { Damage } from '../../support/damage';
import { aHead, allOf, anOutput, aPageOf, textsIn } from '../../support/durable';
import { queryDuckDB } from '../../support/duckdb';

interface Kind {
  readonly name: string;
  readonly destination: (place: string) => Destination;
  /** Folders with the files that runs trust. */
  readonly kept: (place: string) => readonly string[];
  readonly read: (place: string) => Promise<unknown>;
  readonly runs: number;
}

const folderKind = (
  name: string,
  destination: Kind['destination'],
  runs: number,
  read = textsIn as Kind['read'],
): Kind => ({
  name,
  destination,
  kept: (place) => [join(place, '.headwater'), join(place, '.headwater', 'journal')],
  read,
  runs,
});

const tablesOf = async (file: (table: string) => string, database = ':memory:'): Promise<unknown> => {
  const rows = await Promise.all(
    ['user', 'order'].map((table) => queryDuckDB(database, `SELECT * FROM ${file(table)}`)),
  );
  return rows.map((each) => each.map((row) => row.map(String)));
};

const KINDS: readonly Kind[] = [
  folderKind('ndjson', (place) => (outputs) => ndjsonFolder(place, outputs), 40),
  folderKind('csv', (place) => sinks.csv(place), 16),
  folderKind(
    'parquet',
    (place) => (outputs) => parquetFolder(place, outputs),
    12,
    (place) => tablesOf((table) => `read_parquet('${join(place, `${table}.parquet`)}')`),
  ),
  {
    name: 'duckdb',
    destination: (place) => sinks.duckdb(join(place, 'items.duckdb')),
    kept: (place) => [join(place, 'items.duckdb.headwater')],
    read: (place) => tablesOf((table) => `"${table}"`, join(place, 'items.duckdb')),
    runs: 8,
  },
];

const PAGES: readonly Page[] = Array.from({ length: 8 }, (_, at) => {
  const [table, call] = at % 3 === 2 ? (['order', [0, 1]] as const) : (['user', [0, 0]] as const);
  const items = [0, 1, 2].map((one) => ({ id: at * 3 + one, name: `n${at}`, big: 9007199254740993n }));
  const pages = at % 3 === 2 ? (at + 1) / 3 : at - Math.floor(at / 3) + 1;
  return aPageOf(table, items, { checkpoint: { call, pages, position: { next: at } } });
});
const STATE = { time: { previousStart: 1_600_000_000 } };
const LOCK = 'lock';
const filesOf = (paths: readonly string[]): readonly string[] => paths.filter((path) => basename(path) !== LOCK);
/** Cut at its very end, a file is as it was. */
const NO_DAMAGE = { file: 0, from: 1, to: 1, byte: 1 };

interface Prepared {
  readonly template: string;
  /** What readers find. */
  readonly expected: unknown;
  readonly state: JsonObject;
}

describe.each(KINDS)('a run in $name that was broken off, and a file of it that is damaged', (kind) => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  const opened: DurableSink[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const sink of opened.splice(0)) await sink.close();
    await rm(root, { recursive: true });
  });
  const sinkIn = (place: string): DurableSink => {
    const sink = kind.destination(place)([anOutput()]);
    opened.push(sink);
    return sink;
  };
  const finish = async (sink: DurableSink, from: number): Promise<void> => {
    for (const page of PAGES.slice(from)) await sink.write(page);
    await sink.commit(STATE);
    await sink.close();
  };
  /** A run that was committed, and one that was not. */
  const prepared = async (isSynced: boolean): Promise<Prepared> => {
    const template = join(root, 'template');
    await mkdir(template);
    // Each page finds that a second has gone by, or none does.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += isSynced ? 1000 : 0));
    const first = sinkIn(template);
    await first.open();
    await first.begin(aHead({ id: 'run-0' }));
    await finish(first, 0);
    const expected = await kind.read(template);
    const second = sinkIn(template);
    const { state } = await second.open();
    await second.begin(aHead());
    for (const page of PAGES.slice(0, 6)) await second.write(page);
    await second.close();
    jest.restoreAllMocks();
    return { template, expected, state };
  };
  /** As `deliver` goes on: after the pages that are safe. */
  const goOn = async (place: string, known: JsonObject): Promise<'right' | 'begun again'> => {
    const sink = sinkIn(place);
    const { state, unfinished, damage: found } = await sink.open();
    // A receipt that is gone is no receipt.
    expect([known, {}]).toContainEqual(state);
    if (found !== undefined) throw found;
    if (unfinished === undefined) {
      await sink.begin(aHead());
      await finish(sink, 0);
      return 'begun again';
    }
    expect(unfinished.manifest).toEqual(aHead());
    const checkpoints = await allOf(unfinished.checkpoints());
    expect(checkpoints).toEqual(PAGES.slice(0, checkpoints.length).map(({ checkpoint }) => checkpoint));
    await finish(sink, checkpoints.length);
    return 'right';
  };

  it.each([
    ['that was safe against loss of power', true],
    ['that was not', false],
  ])('%s gives the right rows, or an error that says what to do', async (_, isSynced) => {
    const { template, expected, state } = await prepared(isSynced);
    const ends = new Set<string>();
    let number = 0;
    const check = async (change: Damage): Promise<void> => {
      const place = join(root, String((number += 1)));
      await cp(template, place, { recursive: true });
      const files = filesOf(await filesIn(...kind.kept(place)));
      const path = await damage(files, change);
      try {
        ends.add(await goOn(place, state));
      } catch (error) {
        if (!(error instanceof HeadwaterError)) throw error;
        expect(['JOURNAL_DAMAGED', 'DESTINATION_DAMAGED']).toContain(error.code);
        expect(error.message).toMatch(/Run again without --resume|Remove it to start over/);
        if (change.kind !== 'another file') expect(error.message).toContain(place);
        expect(path).toContain(place);
        ends.add(error.code);
        // The remedy helps: a run without --resume.
        if (error.code === 'DESTINATION_DAMAGED') await rm(path);
        const again = sinkIn(place);
        await again.open();
        await again.begin(aHead({ id: 'run-2' }));
        await finish(again, 0);
      }
      expect(await kind.read(place)).toEqual(expected);
      await rm(place, { recursive: true });
    };
    // Few runs may all end alike by chance: these two end in two ways, since no run goes on without its manifest.
    const manifest = filesOf(await filesIn(...kind.kept(template))).findIndex((path) => basename(path) === 'head.json');
    const examples: [Damage][] = [
      [{ ...NO_DAMAGE, kind: 'cut the end' }],
      [{ ...NO_DAMAGE, kind: 'empty', file: manifest }],
    ];
    await fc.assert(fc.asyncProperty(damages, check), { numRuns: runsOf(kind.runs), examples });
    expect(ends.size).toBeGreaterThan(1);
  });
});
