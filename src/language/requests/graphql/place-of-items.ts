import { didYouMean } from '../../codec/finding';
import type { Operation, SelectedField, Selection, VariableType } from './operation';

/** The place of a job's items in a document, and the connection of their pages. */
export interface PlaceOfItems {
  /** The keys that lead to the array of items, or to the only item. */
  readonly path: readonly string[];
  /** Set if the items are edges: each is its `node`, with these fields of the edge added. */
  readonly edges?: { readonly fields: readonly string[] };
  /** The connection of the items, if there is one. */
  readonly connection?: Connection;
  /**
   * Connections within items that do not request `pageInfo` with `hasNextPage`: whether they are complete is unknown.
   * Absent if there are none.
   */
  readonly unpaged?: readonly string[];
}

/** A connection that has `nodes` or `edges`. */
export interface Connection {
  readonly path: readonly string[];
  /** True if the document requests `pageInfo` with `hasNextPage`. */
  readonly asksForNext: boolean;
  /** The variable for the cursor of the next page; absent if the document has none. */
  readonly after?: string;
}

/** The place, or the reason why the path matches nothing in the document. */
export type FoundPlace =
  { readonly kind: 'place'; readonly place: PlaceOfItems } | { readonly kind: 'nowhere'; readonly because: string };

const DATA = 'data';
/** The other fields of a connection; more fields mean an object that happens to have a field `nodes`. */
const BESIDE: ReadonlySet<string> = new Set(['nodes', 'edges', 'totalCount', '__typename']);
/** Fields of an edge that do not belong to the item: its node is the item, and its cursor serves pagination alone. */
const NO_FIELDS: ReadonlySet<string> = new Set(['node', 'cursor', '__typename']);

/**
 * Follows `dataField` through a document. A path to a connection leads to its items.
 *
 * @example placeOfItems(operation, ['data', 'viewer', 'repositories'])
 */
export function placeOfItems({ root }: Operation, path: readonly string[]): FoundPlace {
  const [first, ...rest] = path;
  if (first !== DATA)
    return {
      kind: 'nowhere',
      because: 'has to begin with "data": there a GraphQL response has what the query asks for',
    };
  const fields: SelectedField[] = [];
  let here: Selection = root;
  for (const [at, name] of rest.entries()) {
    if (/^-?\d+$/.test(name)) continue;
    // The content of a scalar is unknown: it may be JSON.
    if (here.names.length === 0) return place({ path }, here);
    const next = here.field(name);
    if (next === undefined) return { kind: 'nowhere', because: notSelected(name, [DATA, ...rest.slice(0, at)], here) };
    fields.push(next);
    here = next;
  }
  const [field, above] = fields.toReversed();
  const name = rest.at(-1);
  if (above !== undefined && (name === 'nodes' || name === 'edges'))
    return place(
      { path, connection: connectionOf(above, path.slice(0, -1)) },
      name === 'edges' ? here.field('node') : here,
    );
  if (field === undefined || !isConnection(field)) return place({ path }, here);
  const connection = connectionOf(field, path);
  if (field.names.includes('nodes')) return place({ path: [...path, 'nodes'], connection }, field.field('nodes'));
  const edge = field.field('edges');
  const names = edge?.names ?? [];
  const edges = { fields: names.filter((each) => !NO_FIELDS.has(each)) };
  return place(
    { path: [...path, 'edges'], connection, ...(names.includes('node') ? { edges } : {}) },
    edge?.field('node'),
  );
}

function place(found: PlaceOfItems, item: Selection | undefined): FoundPlace {
  const unpaged = item === undefined ? [] : [...unpagedIn(item, [])];
  return { kind: 'place', place: unpaged.length === 0 ? found : { ...found, unpaged } };
}

/** The deepest nesting of fragments: they may spread themselves, which servers refuse. */
const DEEPEST = 16;

function* unpagedIn(selection: Selection, path: readonly string[]): Generator<string> {
  if (path.length >= DEEPEST) return;
  for (const name of selection.names) {
    const field = selection.field(name);
    if (field === undefined) continue;
    const here = [...path, name];
    if (isConnection(field) && field.field('pageInfo')?.names.includes('hasNextPage') !== true) yield here.join('.');
    yield* unpagedIn(field, here);
  }
}

function notSelected(name: string, above: readonly string[], { names }: Selection): string {
  const hint = didYouMean(name, names);
  return `leads to nothing that the query asks for: "${above.join('.')}" has ${names.join(', ')}, and no ${name}${hint}`;
}

const isConnection = ({ names }: SelectedField): boolean =>
  (names.includes('nodes') || names.includes('edges')) &&
  (names.includes('pageInfo') || names.every((name) => BESIDE.has(name)));

function connectionOf(field: SelectedField, path: readonly string[]): Connection {
  const info = field.field('pageInfo');
  const after = info?.names.includes('endCursor') === true ? field.variableOf('after') : undefined;
  const asksForNext = info?.names.includes('hasNextPage') === true;
  return { path, asksForNext, ...(after === undefined ? {} : { after }) };
}

/** The GraphQL request of a job; its parameters are the variables. */
export interface GraphqlRequest {
  /** The text of the document, as it is sent. */
  readonly document: string;
  /** The name of the operation, if there are several. */
  readonly operationName?: string;
  /** The variables that the operation declares and uses. */
  readonly variables: readonly string[];
  /** The types of variables that do not accept strings. */
  readonly types: ReadonlyMap<string, VariableType>;
  readonly edges?: NonNullable<PlaceOfItems['edges']>;
  readonly connection?: Connection;
  readonly unpaged?: NonNullable<PlaceOfItems['unpaged']>;
}
