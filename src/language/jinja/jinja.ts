/** Templates of Jinja with the values of Python, evaluated without `eval` and within bounds (docs/language/jinja.md). */
import { isList, isObject } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { ScriptError } from '../parts/errors';
import { DateError } from './dates';
import { FUNCTIONS, filterNamed, testNamed } from './functions';
import { literalOf } from './literal';
import { attributeOf, itemOf, requireRoom } from './methods';
import { calculated, sliceOf } from './operations';
import type { Arguments, Expr } from './expressions';
import { namesIn, parseJinja } from './templates';
import type { Block, Template } from './templates';
import {
  Dict,
  Float,
  List,
  Method,
  TypeMismatch,
  Undefined,
  UndefinedError,
  ValueFault,
  compare,
  fromJson,
  includes,
  isEqual,
  isTrue,
  iterated,
  numberIn,
  requireDefined,
  text,
  toJson,
  typeOf,
} from './values';
import type { Given, Value } from './values';

export { JinjaSyntaxError } from './expressions';

const FALSE: readonly Json[] = ['False', 'false', '{}', '[]', '()', '', '0', '0.0', null, false, 0];

/** Returns whether a value of a template counts as true, as Airbyte's manifests have it: also texts of values that are false do not. */
export const isTruth = (value: Json): boolean =>
  !FALSE.includes(value) &&
  !(isList(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0);

/** A template cannot be evaluated with these variables. */
export class JinjaError extends Error {
  /** True if the template needs something that is undefined. */
  get isUndefined(): boolean {
    return this.cause instanceof UndefinedError;
  }
}

/** The values of names in a template. */
export type Variables = Readonly<Record<string, Json>>;

/** A template that can be evaluated any number of times. */
export interface Jinja {
  readonly source: string;
  /** The names that it reads from its variables. */
  readonly names: ReadonlySet<string>;
  /**
   * Returns the value that the rendered text is a literal of: `1` is a number, `True` a truth value, `['a']` a list;
   * another text is itself. Where types do not go together, the text is the template itself.
   *
   * @param now milliseconds since 1970
   * @param instead the value in place of an empty text, and where the template needs what is undefined
   * @throws JinjaError for a name without a value, for an operation that is not possible, and, without `instead`, for
   *   what is undefined
   */
  readonly evaluate: (variables: Variables, now: number, instead?: Json) => Json;
  /**
   * Returns the rendered text as it is; `null` if it is empty or needs what is undefined.
   *
   * @throws JinjaError
   */
  readonly text: (variables: Variables, now: number) => string | null;
}

const MOST_KEPT = 1000;
const kept = new Map<string, Jinja>();

/** Returns whether a text has tags of Jinja. */
export const isJinja = (written: string): boolean => /\{\{|\{%|\{#/.test(written);

/**
 * Compiles a template.
 *
 * @throws JinjaSyntaxError
 * @example jinjaOf("{{ config['days'] * 2 }}").evaluate({ config: { days: 7 } }, Date.now()) // 14
 */
export function jinjaOf(source: string): Jinja {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const template = parseJinja(source);
  const names = new Set([...namesIn(template)].filter((name) => !Object.hasOwn(FUNCTIONS, name)));
  const jinja: Jinja = {
    source,
    names,
    evaluate: (variables, now, instead) => {
      const made = rendering(jinja, template, variables, now);
      if (typeof made === 'string')
        return made === '' && instead !== undefined ? instead : (toJson(literalOf(made)) ?? null);
      if (instead === undefined) throw new JinjaError(`${made.message}, in ${source}`, { cause: made });
      return instead;
    },
    text: (variables, now) => {
      const made = rendering(jinja, template, variables, now);
      return typeof made !== 'string' || made === '' ? null : made;
    },
  };
  // The cache is limited, because templates may come from data.
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(source, jinja);
  return jinja;
}

/** Returns the text of a template, or that it needs what is undefined. */
function rendering(
  { source, names }: Jinja,
  template: Template,
  variables: Variables,
  now: number,
): string | UndefinedError {
  for (const name of names)
    if (!Object.hasOwn(variables, name)) throw new JinjaError(`${name} is not known here, in ${source}`);
  try {
    return new Evaluation(variables, now).text(template);
  } catch (error) {
    if (error instanceof TypeMismatch) return source;
    if (error instanceof UndefinedError) return error;
    if (!(error instanceof ValueFault || error instanceof DateError || error instanceof ScriptError)) throw error;
    throw new JinjaError(`${error.message}, in ${source}`, { cause: error });
  }
}

/** The most steps of one evaluation. */
const MOST_STEPS = 100_000;

type Scope = ReadonlyMap<string, Value>;

/** One evaluation of a template. */
class Evaluation {
  private steps = 0;
  private written = 0;
  private scope: Map<string, Value>;

  constructor(
    variables: Variables,
    private readonly now: number,
  ) {
    this.scope = new Map(Object.entries(variables).map(([name, value]) => [name, fromJson(value)]));
  }

  text(template: Template): string {
    return template.map((block) => this.block(block)).join('');
  }

  private block(block: Block): string {
    switch (block.kind) {
      case 'text':
        return this.counted(block.text);
      case 'output':
        return this.counted(text(this.value(block.value)));
      case 'set':
        this.assign(block.names, this.value(block.value));
        return '';
      case 'set-text':
        this.scope.set(block.name, this.text(block.body));
        return '';
      case 'if': {
        const branch = block.branches.find(({ condition }) => isTrue(this.value(condition)));
        return this.text(branch?.body ?? block.otherwise);
      }
      case 'for':
        return this.loop(block);
    }
  }

  private counted(made: string): string {
    this.written += made.length;
    requireRoom(this.written);
    return made;
  }

  private assign(names: readonly string[], value: Value): void {
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) {
      this.scope.set(only, value);
      return;
    }
    const parts = iterated(requireDefined(value));
    if (parts.length !== names.length) throw new ValueFault(`expected ${names.length} values, found ${parts.length}`);
    names.forEach((name, at) => this.scope.set(name, parts[at] ?? null));
  }

  /** Runs a loop; what is set in it is forgotten behind it. */
  private loop({ names, over, condition, body, otherwise }: Extract<Block, { kind: 'for' }>): string {
    const outside: Scope = this.scope;
    const inScope = <T>(element: Value, work: () => T): T => {
      this.scope = new Map(outside);
      this.assign(names, element);
      return work();
    };
    const all = iterated(this.value(over));
    const chosen =
      condition === undefined ? all : all.filter((each) => inScope(each, () => isTrue(this.value(condition))));
    const made = chosen.map((element, at) =>
      inScope(element, () => {
        this.scope.set('loop', loopAt(at, chosen.length));
        return this.text(body);
      }),
    );
    this.scope = new Map(outside);
    return chosen.length === 0 ? this.text(otherwise) : made.join('');
  }

  private value(expr: Expr): Value {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw new ValueFault(`it takes more than ${MOST_STEPS} steps`);
    switch (expr.kind) {
      case 'constant':
        return expr.value;
      case 'name':
        return this.named(expr.name);
      case 'attribute':
        return attributeOf(this.value(expr.of), expr.name);
      case 'item':
        return itemOf(this.value(expr.of), this.value(expr.key));
      case 'slice':
        return sliceOf(this.value(expr.of), this.optional(expr.from), this.optional(expr.to), this.optional(expr.step));
      case 'list':
      case 'tuple':
        return new List(
          expr.elements.map((each) => this.value(each)),
          expr.kind === 'tuple',
        );
      case 'dict':
        return new Dict(expr.entries.map(([key, member]) => [this.value(key), this.value(member)] as const));
      case 'sign':
        return signed(expr.negative, this.value(expr.of));
      case 'not':
        return !isTrue(this.value(expr.of));
      case 'both': {
        const left = this.value(expr.left);
        return isTrue(left) ? this.value(expr.right) : left;
      }
      case 'either': {
        const left = this.value(expr.left);
        return isTrue(left) ? left : this.value(expr.right);
      }
      case 'joined': {
        const made = text(this.value(expr.left)) + text(this.value(expr.right));
        requireRoom(made.length);
        return made;
      }
      case 'arithmetic':
        return calculated(expr.operator, this.value(expr.left), this.value(expr.right));
      case 'comparison':
        return this.compared(expr);
      case 'choice':
        if (isTrue(this.value(expr.condition))) return this.value(expr.then);
        if (expr.otherwise !== undefined) return this.value(expr.otherwise);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
      case 'call':
        return this.call(expr);
      case 'filter':
        return filterNamed(expr.name)(this.value(expr.of), this.given(expr));
      case 'test':
        return testNamed(expr.name)(this.value(expr.of), this.given(expr));
    }
  }

  private optional(expr: Expr | undefined): Value {
    return expr === undefined ? null : this.value(expr);
  }

  private named(name: string): Value {
    const value = this.scope.get(name);
    if (value !== undefined) return value;
    const callable = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    return callable === undefined
      ? new Undefined(`'${name}' is undefined`)
      : new Method(name, (given) => callable(given, this.now));
  }

  private call(expr: Extract<Expr, { kind: 'call' }>): Value {
    const called = requireDefined(this.value(expr.of));
    if (called instanceof Method) return called.call(this.given(expr));
    throw new TypeMismatch(`'${typeOf(called)}' object is not callable`);
  }

  private given({ args, named }: Arguments): Given {
    return {
      args: args.map((each) => this.value(each)),
      named: new Map(named.map(([name, each]) => [name, this.value(each)])),
    };
  }

  private compared({ first, others }: Extract<Expr, { kind: 'comparison' }>): boolean {
    let left = this.value(first);
    for (const [operator, other] of others) {
      const right = this.value(other);
      if (!holds(operator, left, right)) return false;
      left = right;
    }
    return true;
  }
}

function holds(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return includes(right, left);
    case 'not in':
      return !includes(right, left);
  }
  const order = compare(left, right);
  if (order === 0) return operator.endsWith('=');
  return operator.startsWith('<') === order < 0;
}

function signed(isNegative: boolean, value: Value): Value {
  const number = numberIn(requireDefined(value));
  if (number === undefined) throw new TypeMismatch(`bad operand type for unary ${isNegative ? '-' : '+'}`);
  if (value instanceof Float) return new Float(isNegative ? -value.number : value.number);
  return calculated('*', number, isNegative ? -1 : 1);
}

/** Returns what `loop` is in the body of a loop. */
const loopAt = (at: number, length: number): Dict =>
  new Dict([
    ['index', at + 1],
    ['index0', at],
    ['first', at === 0],
    ['last', at === length - 1],
    ['length', length],
    ['revindex', length - at],
    ['revindex0', length - at - 1],
  ]);
