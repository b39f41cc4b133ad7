/** What is known of the places of items: the columns and tables that their values belong to. */
import type { ColumnModel, Type } from './types';

export const LINKS = ['_row_id', '_parent_row_id', '_position'];

/** Names of which no two differ only in their case. */
export class TakenNames {
  readonly #taken = new Set<string>();

  claim(wanted: string): string {
    const plain = wanted === '' ? '_' : wanted.toWellFormed().replaceAll('\0', '\ufffd');
    let name = plain;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count += 1) name = `${plain}_${count}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

/** What is known of the values at one place of the items. */
export class Place {
  column: string | undefined;
  list: TableModel | undefined;
  members: Map<string, Place> | undefined;

  /** @param depth how many objects and lists it stands in */
  constructor(
    readonly name: string,
    readonly depth: number,
  ) {}

  member(key: string): Place {
    this.members ??= new Map();
    const known = this.members.get(key);
    if (known !== undefined) return known;
    const made = new Place(this.name === '' ? key : `${this.name}_${key}`, this.depth + 1);
    this.members.set(key, made);
    return made;
  }
}

export class TableModel {
  readonly columns = new Map<string, ColumnModel>();
  readonly names = new TakenNames();
  /** Its objects; those of the items stand in nothing. */
  readonly objects: Place;
  /** Its elements that are no objects. */
  readonly value: Place;
  name = '';

  constructor(
    readonly parent: TableModel | undefined,
    readonly of: string,
    depth: number,
    links: readonly string[] = LINKS,
  ) {
    for (const link of links) this.names.claim(link);
    this.objects = new Place('', depth - 1);
    this.value = new Place('value', depth);
  }
}

/** The type that a column has at the end of the run, and not what it becomes later. */
export function frozen(column: ColumnModel): { readonly type: Type } {
  let kept: Type | undefined;
  column.atEnd((type) => (kept ??= type));
  return {
    get type() {
      return kept ?? column.type;
    },
  };
}
