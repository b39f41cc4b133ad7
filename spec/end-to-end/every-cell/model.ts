/** What a destination is expected to hold after each run, and what is wrong with what it holds. */
import { CsvModel } from './csv-model';
import type { DestinationOfCells, FoundTables } from './destinations';
import { read, written } from './json-value';
import type { Value } from './json-value';
import { LinkedModel } from './linked-model';
import type { Load } from './linked-model';
import { StructModel } from './struct-model';
import type { Feed } from './feeds';

/** How runs follow each other. */
export const LOADS = {
  replace: {},
  append: { incrementalOutput: true },
  merge: { incrementalOutput: true, primaryKeys: { orders: 'id', notes: 'uid' } },
} as const;
export type LoadName = keyof typeof LOADS;

/** The columns that tell rows of items apart. */
const KEYS: Readonly<Record<string, string>> = { orders: 'id', notes: 'uid' };
const NUMBERED: Readonly<Record<string, readonly string[]>> = { orders: ['id', 'rev', 'serial'], notes: ['uid'] };

interface OneModel {
  readonly run: (feeds: readonly Feed[]) => void;
  readonly faults: (found: FoundTables) => readonly string[];
}

/** The tables of all dataTypes. */
export class Model {
  readonly #models: readonly OneModel[];

  constructor(
    private readonly destination: DestinationOfCells,
    load: LoadName,
  ) {
    this.#models = ['orders', 'notes', 'plain'].map((dataType) => this.#modelOf(dataType, load));
  }

  run(feeds: readonly Feed[]): void {
    for (const model of this.#models) model.run(feeds);
  }

  faults(found: FoundTables): readonly string[] {
    return this.#models.flatMap((model) => model.faults(found)).slice(0, 20);
  }

  #modelOf(dataType: string, name: LoadName): OneModel {
    const { makes, digits = 38, nestedJson = false, structs = false } = this.destination;
    const key = name === 'merge' ? KEYS[dataType] : undefined;
    const load: Load = name === 'replace' ? 'replace' : key === undefined ? 'append' : { key };
    const own = (feeds: readonly Feed[]): readonly Feed[] => feeds.filter((feed) => feed.dataType === dataType);
    if (makes === 'lines') return lineModel(dataType, load);
    if (makes === 'csv') {
      const model = new CsvModel(dataType);
      return {
        run: (feeds) =>
          model.run(
            own(feeds).flatMap(({ pages, extra }) => pages.map((items) => ({ items, extra }))),
            load,
          ),
        faults: (found) => model.faults(found, key),
      };
    }
    const model = structs
      ? new StructModel(dataType, digits)
      : new LinkedModel(dataType, { digits, nestedJson, untyped: makes === 'rows' });
    return {
      run: (feeds) =>
        model.run(
          own(feeds).flatMap(({ pages, extra }) => pages.flat().map((item) => ({ item, extra }))),
          load,
        ),
      faults: (found) => model.faults(found, NUMBERED[dataType] ?? []),
    };
  }
}

/** Items as they came, without the white space between their tokens. */
function lineModel(dataType: string, load: Load): OneModel {
  let rows: (readonly [key: string | undefined, line: string])[] = [];
  const keyOf = (item: Value): string | undefined => {
    if (typeof load === 'string' || item.kind !== 'object') return undefined;
    const value = item.members.find(([name]) => name === load.key)?.[1];
    return value === undefined || value.kind === 'null' ? undefined : written(value);
  };
  return {
    run: (feeds) => {
      if (load === 'replace') rows = [];
      for (const feed of feeds)
        if (feed.dataType === dataType)
          for (const item of feed.pages.flat()) {
            const key = keyOf(item);
            if (key !== undefined) rows = rows.filter(([other]) => other !== key);
            rows.push([key, written(item)]);
          }
    },
    faults: (found) => {
      const there = (found.get(dataType)?.rows ?? []).map(([line]) => compact(line ?? ''));
      const wanted = rows.map(([, line]) => line);
      if (typeof load === 'object') for (const some of [there, wanted]) some.sort();
      if (there.length !== wanted.length) return [`${dataType}: ${there.length} lines, not ${wanted.length}`];
      return wanted.flatMap((line, at) =>
        there[at] === line ? [] : [`${dataType}: ${there[at]} in place of ${line}`],
      );
    },
  };
}

/** Escapes may be spelled otherwise; numbers may not. */
const compact = (line: string): string => written(read(line));
