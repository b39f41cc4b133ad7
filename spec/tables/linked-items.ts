/** Items of random but consistent structure, and the check that tables hold exactly them. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/core/model';
import type { Cells } from './make-tables';

export type Shape =
  | { readonly kind: 'scalar' }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: 'list'; readonly element: Exclude<Shape, { kind: 'list' }> };

type ObjectShape = Extract<Shape, { kind: 'object' }>;

const fieldsOf = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<ObjectShape> =>
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), shape, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
    .map((fields) => ({ kind: 'object', fields }));

const shapes = fc.letrec<{ shape: Shape; object: ObjectShape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant<Shape>({ kind: 'scalar' }),
    tie('object'),
    fc
      .oneof(fc.constant<Shape>({ kind: 'scalar' }), tie('object'))
      .map((element) => ({ kind: 'list', element }) as Shape),
  ),
  object: fieldsOf(tie('shape')),
}));

const scalars: fc.Arbitrary<Json> = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
);

const valuesOf = (shape: Shape): fc.Arbitrary<Json> => {
  if (shape.kind === 'scalar') return scalars;
  if (shape.kind === 'object') return objectsOf(shape);
  const element = valuesOf(shape.element);
  return fc.oneof(fc.array(fc.option(element), { maxLength: 3 }), element);
};

/** Any of the keys, each with a value or `null`. */
const objectsOf = ({ fields }: ObjectShape): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(...Object.entries(fields).map(([key, shape]) => entriesOf(key, fc.option(valuesOf(shape)))))
    .map((entries) => Object.fromEntries(entries.flat()));

const entriesOf = (key: string, values: fc.Arbitrary<Json>): fc.Arbitrary<readonly (readonly [string, Json])[]> =>
  fc.oneof(
    values.map((value) => [[key, value] as const]),
    fc.constant([]),
  );

/** A structure and items that fit it. */
export const shapedItems: fc.Arbitrary<{ readonly shape: ObjectShape; readonly items: readonly JsonObject[] }> =
  shapes.object.chain((shape) =>
    fc.record({ shape: fc.constant(shape), items: fc.array(objectsOf(shape), { maxLength: 8 }) }),
  );

/** A value that shows the whole structure. */
export function exampleOf(shape: Shape): Json {
  if (shape.kind === 'scalar') return 'example';
  if (shape.kind === 'list') return [exampleOf(shape.element)];
  return exampleObject(shape);
}

export const exampleObject = ({ fields }: ObjectShape): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, exampleOf(shape)]));

/** Reads tables row by row, as the items in order call for them. */
class Reader {
  readonly #next = new Map<string, number>();
  constructor(private readonly tables: Cells) {}

  row(table: string): ReadonlyMap<string, string> {
    const at = (this.#next.get(table) ?? 0) + 1;
    this.#next.set(table, at);
    const [header = [], cells] = [this.tables[table]?.[0], this.tables[table]?.[at]];
    if (cells === undefined) throw new Error(`Table ${table} has no row ${at}.`);
    return new Map(header.map((name, column) => [name, cells[column] as string]));
  }

  /** Tables with rows that nobody asked for. */
  unread(): readonly string[] {
    return Object.keys(this.tables).filter((name) => (this.#next.get(name) ?? 0) + 1 !== this.tables[name]?.length);
  }
}

const textOf = (value: Json | undefined): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value === true ? '1' : '';
};

/** Throws unless the tables have a cell for each value of the items, and nothing else. */
export function checkTables(tables: Cells, shape: ObjectShape, items: readonly JsonObject[]): void {
  const reader = new Reader(tables);
  for (const item of items) checkFields(reader, shape, item, { table: 't', prefix: '', row: reader.row('t') });
  const unread = reader.unread();
  if (unread.length > 0) throw new Error(`Rows of ${unread.join(', ')} belong to no item.`);
}

interface Place {
  readonly table: string;
  readonly prefix: string;
  readonly row: ReadonlyMap<string, string>;
}

function checkFields(reader: Reader, { fields }: ObjectShape, object: JsonObject, { table, prefix, row }: Place): void {
  for (const [key, value] of Object.entries(object)) {
    const shape = fields[key] as Shape;
    const name = prefix + key;
    if (shape.kind === 'scalar') expectCell(row.get(name), textOf(value));
    else if (shape.kind === 'list') checkList(reader, shape.element, value, row.get(name), `${table}_${name}`);
    else if (value !== null) checkFields(reader, shape, value as JsonObject, { table, prefix: `${name}_`, row });
  }
}

function checkList(reader: Reader, shape: Shape, value: Json, link: string | undefined, table: string): void {
  const isNothing = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  const elements: readonly Json[] = isNothing ? [] : Array.isArray(value) ? (value as Json[]) : [value];
  if ((link ?? '') === '' && elements.length > 0) throw new Error(`No link to ${table}.`);
  if ((link ?? '') !== '' && elements.length === 0) throw new Error(`A link to no row of ${table}.`);
  for (const element of elements) {
    const row = reader.row(table);
    expectCell(row.get('JSON_parentId'), link ?? '');
    if (shape.kind === 'scalar') expectCell(row.get('data') ?? '', textOf(element));
    else if (shape.kind === 'object' && element !== null)
      checkFields(reader, shape, element as JsonObject, { table, prefix: '', row });
  }
}

function expectCell(cell: string | undefined, text: string): void {
  if (cell !== text) throw new Error(`Cell ${String(cell)} is not ${text}.`);
}
