/** What is known of the places of items whose objects and lists are STRUCT and LIST. */
import type { Shape } from './found-structs';
import { sameNumber, read } from './json-value';
import type { Value } from './json-value';
import { microseconds } from './expected';
import { TakenNames } from './linked-places';
import { ColumnModel } from './types';
import type { Type } from './types';

/** Objects and lists below this level stay JSON. */
const DEEPEST = 16;

type Kind = 'unknown' | 'value' | 'struct' | 'list' | 'json';

/** The values at one place; names of fields stay from run to run, also where tables are replaced. */
export class StructPlace {
  element: StructPlace | undefined;
  kind: Kind = 'unknown';
  #column: ColumnModel;
  #isPresent = false;
  readonly #names = new TakenNames();
  readonly #fields = new Map<string, StructPlace>();
  readonly #ends = new Map<number, { readonly kind: Kind; readonly type: Type }>();

  /** @param depth how many objects and lists it stands in */
  constructor(
    readonly name: string,
    private readonly digits: number,
    private readonly depth: number,
  ) {
    this.#column = new ColumnModel(digits);
  }

  field(key: string): StructPlace {
    const known = this.#fields.get(key) ?? new StructPlace(this.#names.claim(key), this.digits, this.depth + 1);
    this.#fields.set(key, known);
    known.#isPresent = true;
    return known;
  }

  /** The fields that the table has. */
  get present(): readonly StructPlace[] {
    return [...this.#fields.values()].filter((field) => field.#isPresent);
  }

  add(value: Value): void {
    if (value.kind === 'null' || this.kind === 'json') return;
    const kind = value.kind === 'object' ? 'struct' : value.kind === 'list' ? 'list' : 'value';
    const isSame = this.kind === 'unknown' || this.kind === kind;
    this.kind = isSame && (kind === 'value' || this.depth < DEEPEST) ? kind : 'json';
    if (this.kind === 'json') return;
    if (value.kind === 'object') for (const [key, member] of value.members) this.field(key).add(member);
    else if (value.kind === 'list') {
      this.element ??= new StructPlace('element', this.digits, this.depth + 1);
      for (const element of value.elements) this.element.add(element);
    } else this.#column.add(value);
  }

  /** Ends a run for a column of the table: what only ever was null is text, and stays it. */
  endColumn(run: number): void {
    if (this.kind === 'unknown') {
      this.kind = 'value';
      this.#column = ColumnModel.ofNull(this.digits);
    }
    this.end(run);
  }

  end(run: number): void {
    if (this.kind === 'struct' && this.present.length === 0) this.kind = 'json';
    this.#column.end();
    for (const field of this.#fields.values()) field.end(run);
    this.element?.end(run);
    this.#ends.set(run, { kind: this.kind, type: this.#column.type });
  }

  /** The table is replaced. */
  forget(): void {
    this.kind = 'unknown';
    this.#isPresent = false;
    this.#column = new ColumnModel(this.digits);
    for (const field of this.#fields.values()) field.forget();
    this.element?.forget();
  }

  get shape(): Shape {
    if (this.kind === 'list') return { kind: 'list', element: this.element?.shape ?? { kind: 'value', type: 'text' } };
    if (this.kind === 'struct')
      return { kind: 'struct', fields: new Map(this.present.map((field) => [field.name, field.shape] as const)) };
    return {
      kind: 'value',
      type: this.kind === 'json' ? 'json' : this.kind === 'unknown' ? 'text' : this.#column.type,
    };
  }

  /** What it was at the end of a run. */
  kindIn(run: number): Kind {
    return this.#ends.get(run)?.kind ?? 'unknown';
  }

  typeIn(run: number): Type {
    const { kind, type } = this.#ends.get(run) ?? { kind: 'value', type: 'text' };
    return kind === 'json' ? 'json' : type;
  }

  /** Why JSON that was made of a value in a column of another type does not say what was sent. */
  rewrittenFault(json: string, sent: Value, run: number): string | undefined {
    return this.#isRewritten(read(json), sent, run) ? undefined : `JSON ${json} in place of a ${sent.kind}`;
  }

  /** Fields that an object did not have are null. */
  #isRewritten(is: Value, sent: Value, run: number): boolean {
    const type = this.typeIn(run);
    if (sent.kind === 'null') return is.kind === 'null';
    if (type === 'json') return is.kind === sent.kind;
    const { element } = this;
    if (sent.kind === 'list')
      return (
        is.kind === 'list' &&
        is.elements.length === sent.elements.length &&
        sent.elements.every(
          (each, at) => element !== undefined && element.#isRewritten(is.elements[at] as Value, each, run),
        )
      );
    if (sent.kind === 'object') {
      if (is.kind !== 'object') return false;
      const members = new Map(sent.members.map(([key, member]) => [this.field(key), member] as const));
      const names = new Map(Array.from(members, ([field, member]) => [field.name, [field, member] as const] as const));
      return (
        sent.members.every(([key]) => is.members.some(([name]) => name === this.field(key).name)) &&
        is.members.every(([name, member]) => {
          const [field, value] = names.get(name) ?? [];
          return field === undefined || value === undefined
            ? member.kind === 'null'
            : field.#isRewritten(member, value, run);
        })
      );
    }
    if (sent.kind === 'number') {
      if (type === 'text')
        return is.kind === 'string' && (is.value === sent.literal || sameNumber(is.value, sent.literal));
      return (
        is.kind === 'number' &&
        (type === 'double' ? Number(is.literal) === Number(sent.literal) : sameNumber(is.literal, sent.literal))
      );
    }
    if (sent.kind === 'boolean')
      return (
        (is.kind === 'boolean' && is.value === sent.value) || (is.kind === 'string' && is.value === String(sent.value))
      );
    if (is.kind !== 'string') return false;
    return (
      is.value === sent.value.toWellFormed() || (microseconds(is.value) ?? 0n) === (microseconds(sent.value) ?? 1n)
    );
  }
}
