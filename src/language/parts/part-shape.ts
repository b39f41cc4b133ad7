import { typeName } from '../../core/json/text';
import type { Json } from '../../core/model';
import type { Part, PartOf } from './parts';

type Kind = Part['kind'];

type Shape = 'string' | 'array' | 'object' | 'function';
/** Members that a definition has beside those that the engine asks for: without them it cannot work. */
interface Behaviour {
  authentication: 'compile';
  pagination: 'paginator';
  format: 'read';
  function: never;
  middleware: never;
  sink: never;
}
type Needed<P> = { [M in keyof P]-?: undefined extends P[M] ? never : M }[keyof P];
type Members<K extends Kind> = Readonly<Record<Exclude<Needed<PartOf<K>>, 'kind'> | Behaviour[K], Shape>>;

const COMMON = { name: 'string', summary: 'string', use: 'string', rules: 'array' } as const;
const CONFIGURED = { ...COMMON, options: 'object', example: 'object', codec: 'function' } as const;

/** What each definition has, whoever has made it. */
const MEMBERS: { readonly [K in Kind]: Members<K> } = {
  authentication: { ...CONFIGURED, travels: 'string', needs: 'object', compile: 'function' },
  pagination: { ...CONFIGURED, answer: 'string', paginator: 'function' },
  format: {
    ...CONFIGURED,
    answer: 'string',
    label: 'string',
    otherNames: 'object',
    contentTypes: 'array',
    read: 'function',
  },
  middleware: { name: 'string', summary: 'string', around: 'string', middleware: 'function' },
  sink: { ...COMMON, schemes: 'array', address: 'array', example: 'string', create: 'function' },
  function: { ...COMMON, arguments: 'array', result: 'string', examples: 'array', call: 'function' },
};

const AROUND: readonly PartOf<'middleware'>['around'][] = ['request', 'attempt'];

const KINDS = Object.keys(MEMBERS);

/** What is wrong with a definition that a user may have written in JavaScript; nothing where it can be used. */
export function wrongWith(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null)
    return `expected a definition, as definePagination and the like give it, found ${nameOf(part)}`;
  const kind: unknown = Reflect.get(part, 'kind');
  if (!isKind(kind)) return `expected a definition whose kind is one of ${KINDS.join(', ')}, found ${nameOf(kind)}`;
  const [member, shape] = Object.entries<Shape>(MEMBERS[kind]).find(([key, each]) => !has(part, key, each)) ?? [];
  const name: unknown = Reflect.get(part, 'name');
  const what = typeof name === 'string' ? `the ${kind} "${name}"` : `the ${kind}`;
  if (member !== undefined) return `${what} lacks "${member}": expected ${article(shape)}`;
  if (kind === 'middleware' && !AROUND.some((around) => around === Reflect.get(part, 'around')))
    return `${what} has an "around" that is none: expected one of ${AROUND.join(', ')}`;
  const options: unknown = Reflect.get(part, 'options') ?? {};
  const option = Object.entries(options as object).find(([, field]) => !isField(field))?.[0];
  return option === undefined
    ? undefined
    : `${what} has an option "${option}" that is no field: make it with required, optional, withDefault or always`;
}

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(MEMBERS, kind);

function has(part: object, key: string, shape: Shape): boolean {
  const value: unknown = Reflect.get(part, key);
  if (shape === 'array') return Array.isArray(value);
  if (shape === 'object') return typeof value === 'object' && value !== null;
  return typeof value === shape && value !== '';
}

const isField = (field: unknown): boolean =>
  typeof field === 'object' &&
  field !== null &&
  typeof Reflect.get(field, 'presence') === 'string' &&
  typeof Reflect.get(field, 'codec') === 'object';

const article = (shape: Shape | undefined): string =>
  shape === 'array' || shape === 'object' ? `an ${shape}` : `a ${shape ?? 'value'}`;

const nameOf = (value: unknown): string =>
  typeof value === 'function' ? 'function' : typeName(value as Json | undefined);
