/** What DuckDB calls the types of columns. */
import { isNestedType } from '../../tables/schema/column-type';
import type { ColumnType, ScalarType } from '../../tables/schema/column-type';
import { DECIMAL_38, decimalOf, digitsOfType, isDecimal } from '../../tables/schema/decimal-type';
import type { DecimalType } from '../../tables/schema/decimal-type';
import { listOf, nestedIn, structOf } from '../../tables/schema/nested-type';
import type { Column } from '../../tables/schema/schema';
import type { NamedTypes } from '../../tables/schema/schema-changes';
import { quoted } from './sql';

const TYPE_NAMES = {
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  double: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  json: 'JSON',
  text: 'VARCHAR',
} as const satisfies Record<Exclude<ScalarType, DecimalType>, string>;

/** @example typeName('list integer') // 'INTEGER[]' */
export function typeName(type: ColumnType): string {
  if (!isNestedType(type)) return isDecimal(type) ? type.toUpperCase() : TYPE_NAMES[type];
  const nested = nestedIn(type);
  if (nested.kind === 'list') return `${typeName(nested.element)}[]`;
  return `STRUCT(${nested.fields.map((field) => `${quoted(field.name)} ${typeName(field.type)}`).join(', ')})`;
}

/** Columns with the types as DuckDB calls them. */
export const namedTypes = (columns: readonly Column[]): NamedTypes =>
  columns.map(({ name, type }) => [name, typeName(type)]);

const TYPES = new Map(Object.entries(TYPE_NAMES).map(([type, name]) => [name as string, type as ColumnType]));

/** The type of a column that a sink has made; `undefined` for one that it would not make. */
export function typeNamed(name: string): ColumnType | undefined {
  const reader = new TypeReader(name);
  const type = reader.type();
  return reader.isAtEnd ? type : undefined;
}

const FIELD = /"((?:[^"]|"")*)" |([^\s",()[\]]+) /y;
const SCALAR = /DECIMAL\(\d+,\d+\)|[A-Z][A-Z ]*[A-Z]/y;

/** Reads the name of a type, which may hold names of types. */
class TypeReader {
  #at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at === this.text.length;
  }

  readonly type = (): ColumnType | undefined => {
    let type = this.#takes('STRUCT(') ? this.#fields() : scalarNamed(this.#match(SCALAR)?.[0] ?? '');
    while (type !== undefined && this.#takes('[]')) type = listOf(type);
    return type;
  };

  #fields(): ColumnType | undefined {
    const fields: Column[] = [];
    do {
      const [, inQuotes, plain] = this.#match(FIELD) ?? [];
      const name = inQuotes?.replaceAll('""', '"') ?? plain;
      const type = name === undefined ? undefined : this.type();
      if (name === undefined || type === undefined) return undefined;
      fields.push({ name, type });
    } while (this.#takes(', '));
    return this.#takes(')') ? structOf(fields) : undefined;
  }

  #takes(text: string): boolean {
    const isNext = this.text.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

function scalarNamed(name: string): ColumnType | undefined {
  const digits = digitsOfType(name.toLowerCase());
  return digits === undefined ? TYPES.get(name) : decimalOf(digits, DECIMAL_38);
}
