/** The objects and lists of a column that becomes a STRUCT or a LIST. */
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { lostDigitsAt } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { otherType, isNestedType, listOf, nestedIn, structOf } from './column-type';
import type { ChosenTypes, ColumnType, NestedType, DecimalLimit } from './column-type';
import { claimNames } from './column-names';
import type { ClaimColumn, ColumnLimit } from './column-names';
import { LearnedColumn } from './learned-column';
import type { NestedValues } from './learned-column';

/** The place of a column, or of a field within it. */
export interface NestedPlace {
  /** The maximum number of fields of a struct; absent: any number. */
  readonly limit: ColumnLimit | undefined;
  readonly decimals: DecimalLimit | undefined;
  /** The types of the configuration, by the paths below this place. */
  readonly chosen: ChosenTypes;
  /** The type of the configuration for the elements of a list; absent: there is none. */
  readonly ofElements: ColumnType | undefined;
  /** The value of {@link LearnedNested.kept} from an earlier run. */
  readonly kept: Json | undefined;
  /** The number of objects and lists around it. */
  readonly depth: number;
}

/** Objects and lists below this level stay JSON. */
const DEEPEST_PLACE = 16;

/** The fields of objects, or the elements of lists, seen so far; both at one place are JSON. */
class LearnedNested implements NestedValues {
  readonly fields: LearnedColumn[] = [];
  element: LearnedColumn | undefined;
  readonly #byKey = new Map<string, LearnedColumn>();
  readonly #claim: ClaimColumn;
  #isStruct = false;
  #isMixed = false;

  /** @param known the type of the existing column; absent: it is new */
  constructor(
    private readonly place: NestedPlace,
    known?: NestedType,
  ) {
    const nested = known === undefined ? undefined : nestedIn(known);
    if (nested?.kind === 'struct') {
      this.#isStruct = true;
      const unknown = new Set(
        entriesAt(this.#keptFields).flatMap(([, field]) => (isUnknown(field) ? columnIn(field) : [])),
      );
      for (const { name, type } of nested.fields) {
        const field = new LearnedColumn(name, unknown.has(name) ? undefined : type, place.decimals);
        this.fields.push(field);
        // A field that no item has in this run may come again: its own fields are kept.
        nest(field, { ...place, choice: undefined, chosen: new Map(), kept: undefined, depth: place.depth + 1 });
      }
    } else if (nested?.kind === 'list') this.#elementOf(nested.element);
    const kept = this.#keptFields;
    const keys =
      kept === undefined
        ? undefined
        : new Map(entriesAt(kept).flatMap(([key, field]) => columnIn(field).map((name) => [key, name] as const)));
    const columnOf = (name: string): LearnedColumn => new LearnedColumn(name, undefined, place.decimals);
    this.#claim = claimNames(this.fields, columnOf, place.limit, keys === undefined ? {} : { keys });
  }

  readonly see = (value: Json): void => {
    if (this.#isMixed || value === null) return;
    if (isObject(value)) {
      this.#isMixed = this.element !== undefined;
      this.#isStruct = true;
      if (!this.#isMixed)
        for (const key of keysOf(value)) this.#fieldFor(key).see(value[key] as Json, lostDigitsAt(value, key));
    } else if (isList(value)) {
      this.#isMixed = this.#isStruct;
      if (this.#isMixed) return;
      const element = this.#elementOf();
      for (const [at, each] of value.entries()) element.see(each, lostDigitsAt(value, at));
    } else this.#isMixed = true;
  };

  /** No database has a struct without fields. */
  get type(): NestedType | undefined {
    if (this.#isMixed) return undefined;
    if (this.element !== undefined) return listOf(this.element.columnType);
    const fields = this.fields.map((field) => ({ name: field.name, type: field.columnType }));
    return fields.length === 0 ? undefined : structOf(fields);
  }

  readonly fieldOf = (key: string): LearnedColumn | undefined => this.#byKey.get(key);

  readonly kept = (): JsonObject => {
    const earlier = entriesAt(this.place.kept).filter(([name]) => name !== UNKNOWN);
    const { element } = this;
    if (element !== undefined) return objectFrom([...earlier, ['element', keptOf(element)]]);
    const fields = Array.from(this.#byKey, ([key, field]): readonly [string, Json] => [
      key,
      objectFrom([...entriesOf(keptOf(field)), ['column', field.name]]),
    ]);
    if (fields.length === 0) return objectFrom(earlier);
    return objectFrom([...earlier, ['fields', objectFrom([...entriesAt(this.#keptFields), ...fields])]]);
  };

  get #keptFields(): Json | undefined {
    return isObject(this.place.kept) ? ownValue(this.place.kept, 'fields') : undefined;
  }

  #fieldFor(key: string): LearnedColumn {
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const field = this.fields[this.#claim(key, 'keys')] as LearnedColumn;
    this.#byKey.set(key, field);
    const kept = isObject(this.#keptFields) ? ownValue(this.#keptFields, key) : undefined;
    nest(field, { ...this.place, ...choiceAt(this.place.chosen, key), kept, depth: this.place.depth + 1 });
    return field;
  }

  #elementOf(known?: ColumnType): LearnedColumn {
    if (this.element !== undefined) return this.element;
    const { chosen, ofElements: choice, kept, depth } = this.place;
    const below = isObject(kept) ? ownValue(kept, 'element') : undefined;
    this.element = new LearnedColumn('element', isUnknown(below) ? undefined : known, this.place.decimals);
    nest(this.element, { ...this.place, choice, chosen, kept: below, depth: depth + 1 });
    return this.element;
  }
}

/** The settings of the configuration for a place. */
interface Choice {
  readonly choice: ColumnType | undefined;
  readonly chosen: ChosenTypes;
}

/** Returns the settings of the configuration for a key, and for the places below it. */
export function choiceAt(chosen: ChosenTypes, key: string): Choice {
  const start = `${key}.`;
  const below = Array.from(chosen).flatMap(([path, type]) =>
    path.startsWith(start) ? [[path.slice(start.length), type] as const] : [],
  );
  return { choice: chosen.get(key), chosen: new Map(below) };
}

/**
 * Lets a column have objects and lists with typed members, unless its existing or chosen type is another one.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE where a chosen type does not hold what the table has
 */
export function nest(column: LearnedColumn, { choice, ...place }: Omit<NestedPlace, 'ofElements'> & Choice): void {
  const { known } = column;
  const isOpen = known === undefined || isNestedType(known);
  if (isOpen && choice !== 'json' && place.depth < DEEPEST_PLACE) {
    column.nested = new LearnedNested({ ...place, ofElements: choice }, known);
    // The chosen type of a list is the type of its elements.
    if (column.nested.element !== undefined) return;
  }
  if (choice !== undefined && !column.choose(choice))
    throw otherType(place.limit?.table ?? '', column.name, known ?? choice, choice);
}

/** Returns whether a path of keys is known; elements of lists have no keys of their own. */
export function hasPath(place: Json | undefined, path: string): boolean {
  if (!isObject(place ?? null)) return false;
  const { element, fields } = place as { readonly element?: Json; readonly fields?: Json };
  if (element !== undefined && hasPath(element, path)) return true;
  return (
    isObject(fields) &&
    entriesOf(fields).some(
      ([key, field]) => key === path || (path.startsWith(`${key}.`) && hasPath(field, path.slice(key.length + 1))),
    )
  );
}

/** The member that marks a column with only nulls, whose type is a guess. */
const UNKNOWN = 'unknown';

const isUnknown = (kept: Json | undefined): boolean => isObject(kept) && ownValue(kept, UNKNOWN) === true;

const keptOf = (column: LearnedColumn): JsonObject =>
  column.isUnknown
    ? objectFrom([...entriesOf(column.nested?.kept() ?? {}), [UNKNOWN, true]])
    : (column.nested?.kept() ?? {});

const entriesAt = (kept: Json | undefined): readonly (readonly [string, Json])[] =>
  isObject(kept) ? entriesOf(kept) : [];

/** Returns the column of a place; empty if there is none. */
function columnIn(kept: Json): readonly string[] {
  const name = isObject(kept) ? ownValue(kept, 'column') : undefined;
  return typeof name === 'string' ? [name] : [];
}
