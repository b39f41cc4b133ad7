/** An API whose items have everything that JSON can have; they follow from a seed, and change from run to run. */
import { bytes } from '../../support/answers';
import type { Answer } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';
import { boolean, list, NULL, number, object, text, written } from './json-value';
import type { Value } from './json-value';
import type { Feed, Flavour } from './feeds';
import { dayOf, KEYS, LOOKS, ODD_KEYS, ODD_TEXTS, randomFrom, TEXTS } from './odd-values';

export const RUNS = 4;
/** Parents below this number have children. */
const PARENTS = 6;
const KINDS_OF_PAGES = ['', ' ', '\n '];

/** Members, or none where a key is missing. */
type Member = readonly [string, Value];

export class World {
  readonly #random: () => number;
  readonly #runs: readonly (readonly Feed[])[];
  /** The number of items that were made: only items that are equal have the same one. */
  #serial = 0;
  /** The run that the API answers, from 0. */
  run = 0;

  constructor(
    seed: number,
    private readonly flavour: Flavour = {},
  ) {
    this.#random = randomFrom(seed);
    this.#runs = Array.from({ length: RUNS }, (_, run) => this.#feedsOf(run));
  }

  /** What reaches tables in a run, in this order. */
  readonly feeds = (run: number): readonly Feed[] => this.#runs[run] ?? [];

  readonly answer = ({ url }: ReceivedRequest): Answer => {
    const { pathname, searchParams } = new URL(url, 'http://api');
    const page = Number(searchParams.get('page') ?? 0);
    const [, path = '', id] = pathname.split('/');
    const feed = this.feeds(this.run).find(
      ({ dataType, extra }) =>
        (id === undefined ? dataType : 'notes') === (id === undefined ? path : dataType) &&
        (id === undefined || extra.get('parent_id') === id),
    );
    const { pages } = feed ?? { pages: [[]] };
    const items = pages[page] ?? [];
    const body = object(
      ['page', number(page)],
      ['items', list(...items)],
      ['next', page + 1 < pages.length ? text(`${pathname}?page=${page + 1}`) : NULL],
    );
    return bytes(written(body, KINDS_OF_PAGES[page % KINDS_OF_PAGES.length]), { 'content-type': 'application/json' });
  };

  #feedsOf(run: number): readonly Feed[] {
    const own = new Map([['source', 'the "API", one']]);
    const orders = this.#idsOf(run).map((id) => this.#order(id, run));
    // An item that is equal to another one, in one page and in two.
    if (run === 0) orders.splice(3, 0, orders[2] as Value, orders[0] as Value);
    const pages = [orders.slice(0, 5), orders.slice(5, 12), [], orders.slice(12, 13), orders.slice(13)];
    const feeds: Feed[] = [{ dataType: 'orders', extra: own, pages }];
    for (const [page, items] of pages.entries())
      for (const [at, item] of items.entries()) {
        const id = item.kind === 'object' ? item.members.find(([key]) => key === 'id')?.[1] : undefined;
        if (id?.kind !== 'number' || Number(id.literal) >= PARENTS) continue;
        const known = feeds.find(({ extra }) => extra.get('parent_id') === id.literal);
        const notes = known?.pages[0] ?? this.#notes(`${run}.${page}.${at}`, run);
        const extra = new Map([
          ['seen', 'by, us'],
          ['parent_id', id.literal],
        ]);
        feeds.push({ dataType: 'notes', extra, pages: [notes] });
      }
    feeds.push({ dataType: 'plain', extra: own, pages: [this.#plain(run)] });
    return feeds;
  }

  /** Each run has some of the items of the ones before, and new ones. */
  #idsOf(run: number): readonly number[] {
    if (run === 0) return Array.from({ length: 16 }, (_, at) => at);
    const again = Array.from({ length: 16 + run * 4 }, (_, at) => at).filter((id) => id === 1 || this.#chance(0.5));
    return [...again, ...Array.from({ length: 4 }, (_, at) => 16 + (run - 1) * 4 + at), ...(run === 2 ? [1, 1] : [])];
  }

  #notes(uid: string, run: number): readonly Value[] {
    const count = Math.floor(this.#random() * 4);
    return Array.from({ length: count }, (_, at) =>
      object(
        ['uid', text(`${uid}.${at}`)],
        ...this.#maybe('words', () => this.#list(() => this.#text())),
        ...this.#maybe('by', () => object(['name', this.#text()], ...(run > 1 ? [['age', number(at)] as Member] : []))),
      ),
    );
  }

  /** Items that are no objects; in the language's own tables, lists and objects are none beside scalars. */
  #plain(run: number): readonly Value[] {
    const scalars = [number(1), text('a "b"'), NULL, number('12345678901234567.25'), text('a "b"'), boolean(true)];
    if (this.flavour.alike === true) return scalars;
    return [
      ...scalars,
      list(number(1), list(text('x')), NULL),
      object(['v', number(run)], ['x', list()]),
      object(),
      list(),
    ];
  }

  #order(id: number, run: number): Value {
    const mixed = this.flavour.alike !== true;
    const members: Member[] = [
      ['id', number(id)],
      ['rev', number(run)],
      ['serial', number((this.#serial += 1))],
      ...this.#maybe('small', () => this.#integer()),
      ...this.#maybe('Small', () => this.#text()),
      ...this.#maybe('grows', () => this.#growing(run)),
      ...this.#maybe('halves', () => this.#pick([number(7), number('2.5'), number('-0.125')])),
      ...this.#maybe('large', () => (run === 0 ? number('0.5') : number('3000000000'))),
      ...this.#maybe('exact', () => this.#pick([number('0.1'), number('12345678901234567.25'), number('1.50')])),
      ...this.#maybe('wide', () => this.#pick([number('1234567890123456789012345678901234567890'), number(3)])),
      ...this.#maybe('far', () => this.#pick(['1e300', '1E5', '1.0', '-0', '5e-324', '0.25'].map(number))),
      ...this.#maybe('beyond', () => this.#pick(['1E400', '1e-400', '12'].map(number))),
      ...this.#maybe('flag', () => boolean(this.#chance(0.5))),
      ...this.#maybe('flags', () => (run < 2 ? boolean(this.#chance(0.5)) : this.#pick([text('true'), text('no')]))),
      ...this.#maybe('day', () => this.#pick(dayOf(run).map(text))),
      ...this.#maybe('moment', () =>
        this.#pick(
          ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00.123456+02:00', '1969-12-31 23:59:59.5-05:30'].map(text),
        ),
      ),
      ...this.#maybe('local', () => this.#pick(['2024-02-29T10:00:00', '2024-02-29 10:00:00.25'].map(text))),
      ...this.#maybe('times', () => this.#pick(['2024-02-29', '2024-02-29T10:00:00', '10:00'].map(text))),
      ...this.#maybe('looks', () => this.#pick(LOOKS.map(text))),
      ...this.#maybe('note', () => this.#text()),
      ...this.#maybe('never', () => NULL),
      ...this.#maybe('neverList', () => list()),
      ...this.#maybe('place', () => this.#place(mixed)),
      ...this.#maybe('a_b', () => this.#integer()),
      ...this.#maybe('a', () => object(['b', this.#text()], ['B', this.#integer()], ['', this.#integer()])),
      ...this.#maybe('_', () => this.#integer()),
      ...this.#maybe('_row_id', () => this.#text()),
      ...this.#maybe('_parent_row_id', () => this.#integer()),
      ...this.#maybe('_Position', () => this.#text()),
      ...this.#maybe('value', () => this.#integer()),
      ...this.#maybe('10', () => this.#integer()),
      ...this.#maybe('2', () => this.#integer()),
      ...this.#maybe('__proto__', () => this.#text()),
      ...this.#maybe('constructor', () => this.#text()),
      ...this.#maybe('tags', () => this.#list(() => this.#text(), run > 0)),
      ...this.#maybe('Tags', () => this.#list(() => this.#integer())),
      ...this.#maybe('num bers', () => this.#list(() => this.#growing(run))),
      ...this.#maybe('lines', () => this.#list(() => this.#line(run, mixed), run > 0)),
      ...this.#maybe('matrix', () => this.#list(() => this.#list(() => this.#list(() => this.#integer())))),
      ...(run > 0 ? this.#maybe('later', () => this.#integer()) : []),
      ...(run > 1 ? this.#maybe('laterList', () => this.#list(() => this.#text())) : []),
    ];
    members.push(...this.#maybe('', () => this.#text()));
    if (mixed) {
      // The language makes one table of names that come to the same.
      members.push(...this.#maybe('num/bers', () => this.#list(() => this.#integer())));
      members.push(...this.#maybe('kinds', () => this.#anything(3)));
      members.push(...this.#maybe('deep', () => this.#deep(20)));
      members.push(...this.#maybe('lone', () => (run < 2 ? this.#text() : list(this.#text(), NULL))));
    }
    if (mixed && this.flavour.storable !== true)
      members.push(...ODD_KEYS.flatMap((key) => this.#maybe(key, () => this.#integer())));
    return object(...members);
  }

  #line(run: number, mixed: boolean): Value {
    const kind = this.#random();
    if (kind < 0.1) return NULL;
    if (kind < 0.15) return object();
    if (mixed && kind < 0.25) return this.#pick([number(5), text('five')]);
    // One of few, so that elements of a list are often equal.
    if (kind < 0.5) return object(['sku', text('same')], ['taxes', list(number('1.5'), number(2))]);
    return object(
      ['sku', this.#text()],
      ...this.#maybe('taxes', () => this.#list(() => this.#pick([number(1), number('2.5')]), run > 0)),
      ...this.#maybe('more', () => object(['deep', this.#list(() => list(this.#integer()))], ['n', this.#integer()])),
      ...this.#maybe('value', () => this.#integer()),
      ...(run > 1 ? this.#maybe('at', () => this.#pick(dayOf(0).map(text))) : []),
    );
  }

  #place(mixed: boolean): Value {
    if (this.#chance(0.15)) return object();
    if (mixed && this.#chance(0.15)) return this.#text();
    return object(
      ...this.#maybe('city', () => this.#text()),
      ...this.#maybe('geo', () => object(['lat', number('46.95')], ['lon', NULL], ['list', this.#list(() => NULL)])),
      ...KEYS.flatMap((key) => this.#maybe(key, () => this.#integer())),
    );
  }

  #anything(depth: number): Value {
    const scalar = (): Value => this.#pick([this.#text(), this.#integer(), boolean(true), NULL, number('0.1')]);
    const kind = depth === 0 ? 0 : this.#random();
    if (kind < 0.4) return scalar();
    if (kind < 0.7) return object(['x', scalar()], ...this.#maybe('y', () => object(['z', this.#anything(depth - 1)])));
    return this.#list(() => this.#anything(depth - 1));
  }

  #deep(levels: number): Value {
    if (levels === 0) return this.#integer();
    return levels % 3 === 0 ? list(this.#deep(levels - 1)) : object(['d', this.#deep(levels - 1)]);
  }

  /** @param isLone whether a value may stand without its list: not where lists come for the first time */
  #list(make: () => Value, isLone = false): Value {
    if (isLone && this.#chance(0.2)) return make();
    const elements = Array.from({ length: Math.floor(this.#random() * 4) }, make);
    if (this.#chance(0.3) && elements[0] !== undefined) elements.push(elements[0]);
    if (this.#chance(0.15)) elements.push(NULL);
    return list(...elements);
  }

  #growing(run: number): Value {
    const small = number(Math.floor(this.#random() * 100));
    if (run === 0) return small;
    if (run === 1) return this.#pick([small, number('9007199254740993')]);
    if (run === 2) return this.#pick([small, number('12345678901234567.25')]);
    return this.#pick([small, text('many')]);
  }

  #text(): Value {
    return text(this.#pick(this.flavour.storable === true ? TEXTS : [...TEXTS, ...ODD_TEXTS]));
  }

  #integer(): Value {
    return number(Math.floor(this.#random() * 2001) - 1000);
  }

  /** A member: mostly there, sometimes null, sometimes missing. */
  #maybe(key: string, make: () => Value): readonly Member[] {
    const kind = this.#random();
    if (kind < 0.2) return [];
    return [[key, kind < 0.3 ? NULL : make()]];
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }

  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)] as T;
  }
}
