/** The grammar of expressions in Jinja: tokens, and the order in which operators bind. */
import type { Value } from './values';
import { Float } from './values';

/** An expression of Jinja. */
export type Expr =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'attribute'; readonly of: Expr; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expr; readonly key: Expr }
  | { readonly kind: 'slice'; readonly of: Expr; readonly from?: Expr; readonly to?: Expr; readonly step?: Expr }
  | { readonly kind: 'list'; readonly elements: readonly Expr[] }
  | { readonly kind: 'tuple'; readonly elements: readonly Expr[] }
  | { readonly kind: 'dict'; readonly entries: readonly (readonly [Expr, Expr])[] }
  | { readonly kind: 'sign'; readonly negative: boolean; readonly of: Expr }
  | { readonly kind: 'not'; readonly of: Expr }
  | { readonly kind: 'both' | 'either' | 'joined'; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'arithmetic'; readonly operator: string; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'comparison'; readonly first: Expr; readonly others: readonly (readonly [string, Expr])[] }
  | { readonly kind: 'choice'; readonly condition: Expr; readonly then: Expr; readonly otherwise?: Expr }
  | ({ readonly kind: 'call'; readonly of: Expr } & Arguments)
  | ({ readonly kind: 'filter'; readonly of: Expr; readonly name: string } & Arguments)
  | ({ readonly kind: 'test'; readonly of: Expr; readonly name: string } & Arguments);

/** The arguments of a call, those by position and those by name. */
export interface Arguments {
  readonly args: readonly Expr[];
  readonly named: readonly (readonly [string, Expr])[];
}

/** A template that is not Jinja. */
export class JinjaSyntaxError extends Error {}

/** The deepest nesting of an expression. */
const DEEPEST = 200;

type Token =
  | { readonly kind: 'number'; readonly value: Value }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'name' | 'operator' | 'end'; readonly text: string };

const SPACE = /\s*/y;
const NUMBER = /\d[\d_]*(?:(?:\.\d+)?[eE][+-]?\d+|\.\d+)?/y;
/** A string with its quotes. */
export const STRING = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y;
const NAME = /[A-Za-z_]\w*/y;
const OPERATOR = /\*\*|\/\/|[=!<>]=|[-+*/%~|.,:()[\]{}<>=]/y;

/** Returns what a pattern matches at exactly this position. */
export const at = (pattern: RegExp, text: string, from: number): string | undefined => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0];
};

function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let from = 0;
  for (;;) {
    from += at(SPACE, code, from)?.length ?? 0;
    if (from === code.length) return [...tokens, { kind: 'end', text: '' }];
    const number = at(NUMBER, code, from);
    const string = at(STRING, code, from);
    const name = at(NAME, code, from);
    const found = number ?? string ?? name ?? at(OPERATOR, code, from);
    if (found === undefined) throw new JinjaSyntaxError(`unexpected character ${JSON.stringify(code[from])}`);
    if (number !== undefined) tokens.push({ kind: 'number', value: numberOf(number.replaceAll('_', '')) });
    else if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string.slice(1, -1)) });
    else tokens.push({ kind: name === undefined ? 'operator' : 'name', text: found });
    from += found.length;
  }
}

function numberOf(text: string): Value {
  if (!/^\d+$/.test(text)) return new Float(Number(text));
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '0': '\0' },
  ...{ '\\': '\\', "'": "'", '"': '"', '\n': '' },
};

/** Returns the text of a string as Python reads it: an unknown escape stays as it is. */
const unescaped = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^])/g, (written, escape: string) =>
    escape.length > 1 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : (ESCAPES[escape] ?? written),
  );

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...(['true', 'True'] as const).map((name) => [name, true] as const),
  ...(['false', 'False'] as const).map((name) => [name, false] as const),
  ...(['none', 'None'] as const).map((name) => [name, null] as const),
]);

/** Reads an expression, or the head of a statement, token by token. */
export class Reader {
  private position = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];

  constructor(code: string) {
    this.tokens = tokensOf(code);
  }

  private get token(): Token {
    return this.tokens[this.position] ?? { kind: 'end', text: '' };
  }

  private is(kind: 'name' | 'operator', text: string, ahead = 0): boolean {
    const token = this.tokens[this.position + ahead];
    return token?.kind === kind && token.text === text;
  }

  private takes(kind: 'name' | 'operator', text: string): boolean {
    const found = this.is(kind, text);
    if (found) this.position += 1;
    return found;
  }

  private takesOne(...operators: readonly string[]): string | undefined {
    return operators.find((operator) => this.takes('operator', operator));
  }

  private expect(text: string): void {
    if (!this.takes('operator', text)) throw this.unexpected(JSON.stringify(text));
  }

  private unexpected(expected: string): JinjaSyntaxError {
    const { token } = this;
    const found = token.kind === 'end' ? 'the end' : token.kind === 'number' ? 'a number' : JSON.stringify(token.text);
    return new JinjaSyntaxError(`expected ${expected}, found ${found}`);
  }

  name(): string {
    const { token } = this;
    if (token.kind !== 'name') throw this.unexpected('a name');
    this.position += 1;
    return token.text;
  }

  /** Reads `a`, or `a, b` as in the head of a loop. */
  names(): readonly string[] {
    const names = [this.name()];
    while (this.takes('operator', ',')) names.push(this.name());
    return names;
  }

  keyword(text: string): boolean {
    return this.takes('name', text);
  }

  sign(text: string): boolean {
    return this.takes('operator', text);
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  end(): void {
    if (!this.isAtEnd) throw this.unexpected('the end');
  }

  /** Reads a whole expression, a tuple without brackets included. */
  whole(): Expr {
    const first = this.expression();
    if (!this.is('operator', ',')) return first;
    const elements = [first];
    while (this.takes('operator', ',') && !this.isAtEnd) elements.push(this.expression());
    return { kind: 'tuple', elements };
  }

  expression(): Expr {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new JinjaSyntaxError(`nested deeper than ${DEEPEST} levels`);
    let then = this.either();
    while (this.keyword('if')) {
      const condition = this.either();
      then = { kind: 'choice', condition, then, ...(this.keyword('else') ? { otherwise: this.expression() } : {}) };
    }
    this.depth -= 1;
    return then;
  }

  /** Reads the sequence of a loop, behind which an `if` begins its condition. */
  either(): Expr {
    let left = this.both();
    while (this.keyword('or')) left = { kind: 'either', left, right: this.both() };
    return left;
  }

  private both(): Expr {
    let left = this.negation();
    while (this.keyword('and')) left = { kind: 'both', left, right: this.negation() };
    return left;
  }

  private negation(): Expr {
    return this.keyword('not') ? { kind: 'not', of: this.negation() } : this.comparison();
  }

  private comparison(): Expr {
    const first = this.sum();
    const others: (readonly [string, Expr])[] = [];
    for (;;) {
      const operator = this.takesOne('==', '!=', '<=', '>=', '<', '>') ?? this.membership();
      if (operator === undefined) return others.length === 0 ? first : { kind: 'comparison', first, others };
      others.push([operator, this.sum()]);
    }
  }

  private membership(): string | undefined {
    if (this.keyword('in')) return 'in';
    if (!this.is('name', 'not') || !this.is('name', 'in', 1)) return undefined;
    this.position += 2;
    return 'not in';
  }

  private sum(): Expr {
    return this.arithmetic(() => this.joined(), '+', '-');
  }

  private joined(): Expr {
    let left = this.product();
    while (this.takes('operator', '~')) left = { kind: 'joined', left, right: this.product() };
    return left;
  }

  private product(): Expr {
    return this.arithmetic(() => this.power(), '*', '//', '/', '%');
  }

  private power(): Expr {
    return this.arithmetic(() => this.signed(true), '**');
  }

  private arithmetic(operand: () => Expr, ...operators: readonly string[]): Expr {
    let left = operand();
    for (;;) {
      const operator = this.takesOne(...operators);
      if (operator === undefined) return left;
      left = { kind: 'arithmetic', operator, left, right: operand() };
    }
  }

  private signed(hasFilters: boolean): Expr {
    const sign = this.takesOne('-', '+');
    const value: Expr =
      sign === undefined
        ? this.postfix(this.primary())
        : { kind: 'sign', negative: sign === '-', of: this.signed(false) };
    return hasFilters ? this.filtered(value) : value;
  }

  private filtered(value: Expr): Expr {
    let of = value;
    for (;;) {
      if (this.takes('operator', '|')) {
        const name = this.dottedName();
        of = { kind: 'filter', of, name, ...this.optionalArguments() };
      } else if (this.keyword('is')) of = this.test(of);
      else if (this.is('operator', '(')) of = this.postfix(of);
      else return of;
    }
  }

  private dottedName(): string {
    let name = this.name();
    while (this.takes('operator', '.')) name += `.${this.name()}`;
    return name;
  }

  private test(of: Expr): Expr {
    const isNegated = this.keyword('not');
    const name = this.dottedName();
    const test: Expr = { kind: 'test', of, name, ...(this.testArgument() ?? this.optionalArguments()) };
    return isNegated ? { kind: 'not', of: test } : test;
  }

  /** Reads an argument without brackets, as in `x is divisibleby 3`. */
  private testArgument(): Arguments | undefined {
    const { token } = this;
    const isOperand =
      token.kind === 'number' ||
      token.kind === 'string' ||
      (token.kind === 'name' && !['else', 'or', 'and', 'if', 'is', 'in', 'not'].includes(token.text)) ||
      (token.kind === 'operator' && (token.text === '[' || token.text === '{'));
    return isOperand ? { args: [this.postfix(this.primary())], named: [] } : undefined;
  }

  private optionalArguments(): Arguments {
    return this.takes('operator', '(') ? this.rest() : { args: [], named: [] };
  }

  /** Reads arguments behind their opening bracket. */
  private rest(): Arguments {
    const args: Expr[] = [];
    const named: (readonly [string, Expr])[] = [];
    while (!this.takes('operator', ')')) {
      if (this.token.kind === 'name' && this.is('operator', '=', 1)) {
        const name = this.name();
        this.position += 1;
        named.push([name, this.expression()]);
      } else args.push(this.expression());
      if (!this.is('operator', ')')) this.expect(',');
    }
    return { args, named };
  }

  private postfix(value: Expr): Expr {
    let of = value;
    for (;;) {
      if (this.takes('operator', '.')) of = this.member(of);
      else if (this.takes('operator', '[')) of = this.subscript(of);
      else if (this.takes('operator', '(')) of = { kind: 'call', of, ...this.rest() };
      else return of;
    }
  }

  private member(of: Expr): Expr {
    const { token } = this;
    if (token.kind !== 'number') return { kind: 'attribute', of, name: this.name() };
    this.position += 1;
    return { kind: 'item', of, key: { kind: 'constant', value: token.value } };
  }

  private subscript(of: Expr): Expr {
    const parts: (Expr | undefined)[] = [undefined];
    while (!this.takes('operator', ']')) {
      if (this.takes('operator', ':')) parts.push(undefined);
      else parts[parts.length - 1] = this.expression();
      if (this.isAtEnd || parts.length > 3) throw this.unexpected('"]"');
    }
    const [from, to, step] = parts;
    if (parts.length > 1)
      return {
        kind: 'slice',
        of,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(step === undefined ? {} : { step }),
      };
    if (from === undefined) throw this.unexpected('a key');
    return { kind: 'item', of, key: from };
  }

  private primary(): Expr {
    const { token } = this;
    this.position += 1;
    if (token.kind === 'number') return { kind: 'constant', value: token.value };
    if (token.kind === 'string') return { kind: 'constant', value: this.adjoining(token.text) };
    if (token.kind === 'name') {
      const value = CONSTANTS.get(token.text);
      return value === undefined ? { kind: 'name', name: token.text } : { kind: 'constant', value };
    }
    if (token.text === '(') return this.bracketed();
    if (token.text === '[') return { kind: 'list', elements: this.upTo(']', () => this.expression()) };
    if (token.text === '{')
      return {
        kind: 'dict',
        entries: this.upTo('}', () => {
          const key = this.expression();
          this.expect(':');
          return [key, this.expression()] as const;
        }),
      };
    this.position -= 1;
    throw this.unexpected('a value');
  }

  private adjoining(text: string): string {
    const { token } = this;
    if (token.kind !== 'string') return text;
    this.position += 1;
    return this.adjoining(text + token.text);
  }

  private bracketed(): Expr {
    if (this.takes('operator', ')')) return { kind: 'tuple', elements: [] };
    const first = this.expression();
    if (this.takes('operator', ')')) return first;
    this.expect(',');
    return { kind: 'tuple', elements: [first, ...this.upTo(')', () => this.expression())] };
  }

  private upTo<T>(end: string, read: () => T): readonly T[] {
    const found: T[] = [];
    while (!this.takes('operator', end)) {
      found.push(read());
      if (!this.is('operator', end)) this.expect(',');
    }
    return found;
  }
}
