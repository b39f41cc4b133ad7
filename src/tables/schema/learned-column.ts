/** The columns of a table, and of the objects and lists in them, as far as their values show them. */
import { digitsOf, fitsDouble } from '../../core/json/decimal';
import type { Digits } from '../../core/json/decimal';
import { lostDigitsAt } from '../../core/json/literals';
import {
  entriesOf,
  isList,
  isObject,
  keysOf,
  objectAt,
  objectFrom,
  stringAt,
  valueBelow,
} from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { claimNames } from './column-names';
import type { ClaimColumn, ColumnLimit } from './column-names';
import {
  DECIMAL_38,
  WHOLE_DIGITS,
  decimalOf,
  digitsOfType,
  isDecimal,
  isNestedType,
  listOf,
  nestedIn,
  otherType,
  structOf,
  typeOf,
  wider,
} from './column-type';
import type { ChosenTypes, ColumnType, DecimalLimit, NestedType } from './column-type';

const TEMPORAL: readonly ColumnType[] = ['date', 'timestamp', 'timestamptz'];

/** The type of a column, learned from its values so far. */
export class LearnedColumn {
  /** The narrowest type of all values except {@link nested}; absent while there are only nulls. */
  type: ColumnType | undefined;
  /** The number of values that are not null. */
  filled = 0;
  /** True if a string column has values that are no strings, such as numbers: they are stored as their digits. */
  mixed = false;
  /** True if the configuration sets its type, whatever its values. */
  isChosen = false;
  /** True if the values of a chosen type include objects or lists. */
  isNested = false;
  /** The objects and lists; absent: they are JSON. */
  nested: NestedValues | undefined;
  /** The JSON of the value that an existing column got its present type for; absent: there is none, or it is an object or a list. */
  cause: string | undefined;
  /** True if it has integers beyond 2^53, which a double cannot hold together with fractions. */
  beyond: boolean;
  /** The maximum digits of its numbers before the point; integers do not count while there are only integers. */
  whole: number;
  fraction: number;

  /** @param known the type of an existing column; its 64-bit integers, and the digits of its doubles, are unknown */
  constructor(
    readonly name: string,
    readonly known?: ColumnType,
    private readonly limit: DecimalLimit = DECIMAL_38,
  ) {
    const type = known === undefined || !isNestedType(known) ? known : 'json';
    this.type = type;
    this.beyond = type === 'bigint';
    const { whole, fraction } = digitsOfType(type ?? '') ?? { whole: type === 'double' ? Infinity : 0, fraction: 0 };
    this.whole = whole;
    this.fraction = fraction;
  }

  /** Returns whether it had only nulls, in earlier runs as well. */
  get isUnknown(): boolean {
    return this.type === undefined;
  }

  /** Returns the type in its table: text if it is unknown. */
  get columnType(): ColumnType {
    const { type = 'text', nested } = this;
    const isNested = this.isChosen ? nested?.element !== undefined : type === 'json';
    return (isNested ? nested?.type : undefined) ?? type;
  }

  /** @returns whether the column can have this type: an existing type must fit into it */
  choose(type: ColumnType): boolean {
    const { type: had } = this;
    this.isChosen = true;
    this.type = type;
    return had === undefined || had === type || wider(had, type) === type;
  }

  /** @param literal the spelling of a number whose value has lost digits */
  see(value: Json, literal?: string): void {
    if (value === null) return;
    this.filled += 1;
    this.nested?.see(value);
    if (this.isChosen) {
      this.isNested ||= typeof value === 'object';
      return;
    }
    const { type } = this;
    // Most values are of the known kind of the column.
    if (type === 'json' || (type === 'text' && typeof value === 'string')) return;
    if (literal !== undefined) {
      const digits = digitsOf(literal);
      this.#seeNumber(fitsDouble(literal) ? 'double' : 'decimal', digits);
      if (this.#isOther(type)) this.cause = literal;
      return;
    }
    if (type === 'integer' && typeof value === 'number' && (value | 0) === value) return;
    if (typeof value === 'bigint') this.beyond = true;
    const seen = typeOf(value) as ColumnType;
    if ((typeof value === 'number' || typeof value === 'bigint') && seen !== 'text')
      this.#seeNumber(isDecimal(seen) ? 'decimal' : seen, digitsOf(String(value)));
    else this.#join(seen, typeof value === 'string');
    if (this.#isOther(type) && typeof value !== 'object')
      this.cause = typeof value === 'string' ? JSON.stringify(value) : String(value);
  }

  /**
   * Adds a string of this type.
   *
   * @returns whether it is the {@link cause} of another type of an existing column
   */
  seeText(seen: ColumnType): boolean {
    this.filled += 1;
    const { type } = this;
    if (seen !== type && type !== 'json' && !this.isChosen) this.#join(seen, true);
    return this.#isOther(type);
  }

  /** Returns whether an existing column has another type than it had a value ago. */
  #isOther(before: ColumnType | undefined): boolean {
    return this.type !== before && this.known !== undefined;
  }

  /** @param seen the type that holds it alone; `decimal`: neither a double nor an integer does */
  #seeNumber(seen: ColumnType | 'decimal', { whole, fraction }: Digits): void {
    const { type } = this;
    this.whole = Math.max(this.whole, whole, ...[type, seen].map((each) => WHOLE_DIGITS.get(each as ColumnType) ?? 0));
    this.fraction = Math.max(this.fraction, fraction);
    if (seen !== 'decimal' && !this.#needsDecimal(seen)) {
      const isDouble = !this.beyond && isInteger(type, seen) && [type, seen].includes('double');
      this.#join(isDouble ? 'double' : seen, false, isDouble);
    } else if (type === undefined || type === 'double' || WHOLE_DIGITS.has(type) || isDecimal(type)) {
      this.#join(decimalOf(this, this.limit) ?? 'text', false, true);
    } else this.#join('text', false);
  }

  /** Returns whether a decimal is the only type for a number of this type and those of the column. */
  #needsDecimal(seen: ColumnType): boolean {
    const both = [this.type, seen];
    if (this.type !== undefined && isDecimal(this.type)) return true;
    return this.beyond && both.includes('bigint') && both.includes('double');
  }

  /** @param holdsAll whether the type also holds the earlier values of the column */
  #join(seen: ColumnType, isText: boolean, holdsAll = false): void {
    const { type } = this;
    if (seen !== type) this.type = type === undefined || holdsAll ? seen : wider(type, seen);
    if (this.type === 'text') this.mixed ||= !isText || (type !== undefined && !isOfTexts(type));
  }
}

const isInteger = (a: ColumnType | undefined, b: ColumnType): boolean =>
  WHOLE_DIGITS.has(a ?? 'text') || WHOLE_DIGITS.has(b);

const isOfTexts = (type: ColumnType): boolean => type === 'text' || TEMPORAL.includes(type);

/** The place of a column, or of a field within it. */
interface NestedPlace {
  /** The maximum number of fields of a struct; absent: any number. */
  readonly limit: ColumnLimit | undefined;
  readonly decimals: DecimalLimit | undefined;
  /** The types of the configuration, by the paths below this place. */
  readonly chosen: ChosenTypes;
  /** The type of the configuration for the elements of a list; absent: there is none. */
  readonly ofElements: ColumnType | undefined;
  /** The value of {@link NestedValues.kept} from an earlier run. */
  readonly kept: Json | undefined;
  /** The number of objects and lists around it. */
  readonly depth: number;
}

/** Objects and lists below this level stay JSON. */
export const DEEPEST_PLACE = 16;

/** The fields of objects, or the elements of lists, seen so far; both at one place are JSON. */
export class NestedValues {
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
      const unknown = new Set(this.#keptFields.flatMap(([, field]) => (isUnknown(field) ? columnIn(field) : [])));
      for (const { name, type } of nested.fields) {
        const field = new LearnedColumn(name, unknown.has(name) ? undefined : type, place.decimals);
        this.fields.push(field);
        // A field that no item has in this run may come again: its own fields are kept.
        nest(field, { ...place, choice: undefined, chosen: new Map(), kept: undefined, depth: place.depth + 1 });
      }
    } else if (nested?.kind === 'list') this.#elementOf(nested.element);
    const columnOf = (name: string): LearnedColumn => new LearnedColumn(name, undefined, place.decimals);
    const named = this.#keptFields.flatMap(([key, field]) => columnIn(field).map((name) => [key, name] as const));
    const isKept = valueBelow(place.kept, 'fields') !== undefined;
    this.#claim = claimNames(this.fields, columnOf, place.limit, isKept ? { keys: new Map(named) } : {});
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
    const earlier = (isObject(this.place.kept) ? entriesOf(this.place.kept) : []).filter(([name]) => name !== UNKNOWN);
    const { element } = this;
    if (element !== undefined) return objectFrom([...earlier, ['element', keptOf(element)]]);
    const fields = Array.from(this.#byKey, ([key, field]): readonly [string, Json] => [
      key,
      objectFrom([...entriesOf(keptOf(field)), ['column', field.name]]),
    ]);
    if (fields.length === 0) return objectFrom(earlier);
    return objectFrom([...earlier, ['fields', objectFrom([...this.#keptFields, ...fields])]]);
  };

  get #keptFields(): readonly (readonly [string, Json])[] {
    return entriesOf(objectAt(this.place.kept, 'fields'));
  }

  #fieldFor(key: string): LearnedColumn {
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const field = this.fields[this.#claim(key, 'keys')] as LearnedColumn;
    this.#byKey.set(key, field);
    const kept = valueBelow(this.place.kept, 'fields', key);
    nest(field, { ...this.place, ...choiceAt(this.place.chosen, key), kept, depth: this.place.depth + 1 });
    return field;
  }

  #elementOf(known?: ColumnType): LearnedColumn {
    if (this.element !== undefined) return this.element;
    const { chosen, ofElements: choice, kept, depth } = this.place;
    const below = valueBelow(kept, 'element');
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
    column.nested = new NestedValues({ ...place, ofElements: choice }, known);
    // The chosen type of a list is the type of its elements.
    if (column.nested.element !== undefined) return;
  }
  if (choice !== undefined && !column.choose(choice))
    throw otherType(place.limit?.table ?? '', column.name, known ?? choice, choice);
}

/** Returns whether a path of keys is known; elements of lists have no keys of their own. */
export function hasPath(place: Json | undefined, path: string): boolean {
  const element = valueBelow(place, 'element');
  if (element !== undefined && hasPath(element, path)) return true;
  return entriesOf(objectAt(place, 'fields')).some(
    ([key, field]) => key === path || (path.startsWith(`${key}.`) && hasPath(field, path.slice(key.length + 1))),
  );
}

/** The member that marks a column with only nulls, whose type is a guess. */
const UNKNOWN = 'unknown';

const isUnknown = (kept: Json | undefined): boolean => valueBelow(kept, UNKNOWN) === true;

const keptOf = (column: LearnedColumn): JsonObject => {
  const kept = column.nested?.kept() ?? {};
  return column.isUnknown ? objectFrom([...entriesOf(kept), [UNKNOWN, true]]) : kept;
};

/** Returns the column of a place; empty if there is none. */
function columnIn(kept: Json): readonly string[] {
  const name = stringAt(kept, 'column');
  return name === undefined ? [] : [name];
}
