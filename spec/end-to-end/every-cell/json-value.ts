/** JSON with its numbers as they are spelled: written and read by code of its own, which shares nothing with the engine. */
export type Value =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly literal: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'list'; readonly elements: readonly Value[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Value])[] };

export const NULL: Value = { kind: 'null' };
export const number = (literal: string | number): Value => ({ kind: 'number', literal: String(literal) });
export const text = (value: string): Value => ({ kind: 'string', value });
export const list = (...elements: readonly Value[]): Value => ({ kind: 'list', elements });
export const object = (...members: readonly (readonly [string, Value])[]): Value => ({ kind: 'object', members });
export const boolean = (value: boolean): Value => ({ kind: 'boolean', value });

/** @param space between tokens */
export function written(value: Value, space = ''): string {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return value.literal;
    case 'string':
      return JSON.stringify(value.value);
    case 'list':
      return `[${value.elements.map((element) => space + written(element, space)).join(',')}${space}]`;
    case 'object':
      return `{${value.members
        .map(([key, member]) => `${space}${JSON.stringify(key)}:${space}${written(member, space)}`)
        .join(',')}${space}}`;
  }
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+)/y;

/** Reads one value; what is no JSON fails one way or another. */
export function read(json: string): Value {
  let at = 0;
  const next = (): string => {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(json)?.[1];
    if (token === undefined) throw new Error(`no JSON at ${at}: ${json}`);
    at = TOKEN.lastIndex;
    return token;
  };
  const peek = (): string => {
    const before = at;
    const token = next();
    at = before;
    return token;
  };
  const valueFrom = (token: string): Value => {
    if (token === 'null') return NULL;
    if (token === 'true' || token === 'false') return boolean(token === 'true');
    if (token.startsWith('"')) return text(JSON.parse(token) as string);
    if (token === '[') {
      const elements: Value[] = [];
      while (peek() !== ']') {
        elements.push(valueFrom(next()));
        if (peek() === ',') next();
      }
      next();
      return list(...elements);
    }
    if (token === '{') {
      const members: [string, Value][] = [];
      while (peek() !== '}') {
        const key = JSON.parse(next()) as string;
        if (next() !== ':') throw new Error(`no colon at ${at}: ${json}`);
        members.push([key, valueFrom(next())]);
        if (peek() === ',') next();
      }
      next();
      return object(...members);
    }
    if (!/^-?\d/.test(token)) throw new Error(`no JSON: ${token}`);
    return number(token);
  };
  const value = valueFrom(next());
  if (json.slice(at).trim() !== '') throw new Error(`more than a value: ${json}`);
  return value;
}

/** The value as `digits` × 10^`exponent`, without zeros at either end of the digits; `undefined` for what is no number. */
export function decimal(literal: string): { readonly digits: bigint; readonly exponent: number } | undefined {
  const [, integer, fraction = '', power = '0'] = /^([+-]?\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  if (integer === undefined) return undefined;
  const negative = integer.startsWith('-');
  const all = (integer + fraction).replace(/^[+-]/, '');
  const short = all.replace(/0+$/, '');
  if (/^0*$/.test(short)) return { digits: 0n, exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - short.length);
  return { digits: BigInt(short) * (negative ? -1n : 1n), exponent };
}

export function sameNumber(a: string, b: string): boolean {
  const [left, right] = [decimal(a), decimal(b)];
  if (left === undefined || right === undefined) return false;
  return left.digits === right.digits && left.exponent === right.exponent;
}

/** The same JSON: members in any order, numbers by value, halves of characters as the sign for no character. */
export function sameJson(a: Value, b: Value): boolean {
  if (a.kind === 'number' && b.kind === 'number') return sameNumber(a.literal, b.literal);
  if (a.kind === 'string' && b.kind === 'string') return a.value.toWellFormed() === b.value.toWellFormed();
  if (a.kind === 'list' && b.kind === 'list')
    return (
      a.elements.length === b.elements.length && a.elements.every((one, at) => sameJson(one, b.elements[at] as Value))
    );
  if (a.kind === 'object' && b.kind === 'object') {
    const others = new Map(b.members.map(([key, value]) => [key.toWellFormed(), value]));
    return (
      a.members.length === b.members.length &&
      a.members.every(([key, value]) => {
        const other = others.get(key.toWellFormed());
        return other !== undefined && sameJson(value, other);
      })
    );
  }
  return a.kind === b.kind && written(a) === written(b);
}
