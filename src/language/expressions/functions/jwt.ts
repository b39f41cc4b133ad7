import { createHmac, createPrivateKey, createSign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isObject, objectFrom, entriesOf } from '../../../core/json/objects';
import { stringifyJson } from '../../../core/json/stringify';
import { typeName } from '../../../core/json/scalars';
import type { JsonObject } from '../../../core/model';
import { ScriptError } from '../../parts/errors';
import { textAt, type Arguments, defineFunction } from './define';

type Sign = (content: string, key: string) => string;

const ALGORITHMS: ReadonlyMap<string, Sign> = new Map<string, Sign>([
  ['HS256', (content, key) => createHmac('sha256', key).update(content).digest('base64url')],
  ['RS256', (content, key) => createSign('sha256').update(content).sign(rsaKey(key), 'base64url')],
]);

/** Reads a key in PEM, whose line ends may be written as `\n`, as in key files of Google's service accounts. */
function rsaKey(written: string): KeyObject {
  const key = attempt(() => createPrivateKey(written.replaceAll('\\n', '\n')));
  if (key?.asymmetricKeyType === 'rsa') return key;
  // The message of the platform may show a part of the key.
  throw new ScriptError('argument 2 must be an RSA private key in PEM ("-----BEGIN PRIVATE KEY-----") for RS256.');
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function objectAt(args: Arguments, at: number): JsonObject {
  const value = args[at] ?? [];
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw new ScriptError(`argument ${at + 1} must be an object, given '${typeName(value)}'.`);
}

const encoded = (part: JsonObject): string => Buffer.from(stringifyJson(part)).toString('base64url');

/** The function `jwt` (docs/language/functions.md#jwt). */
export const jwt = defineFunction({
  name: 'jwt',
  summary: 'Signs a JSON Web Token (RFC 7519).',
  arguments: [
    { name: 'claims', type: 'object', about: 'The values may be expressions.' },
    { name: 'key', about: 'The secret of HS256, or the private key of RS256 in PEM.' },
    { name: 'algorithm', type: 'string', about: '`HS256` (default) or `RS256`.', optional: true },
    {
      name: 'header',
      type: 'object',
      about: 'More members of the header, such as `kid`.',
      optional: true,
    },
  ],
  rules: [
    'Nothing is added to the claims: `{ "function": "now", "args": ["unix", "+5 minutes"] }` makes an `exp`.',
    'A parameter is computed once for all pages of a job: the token must live as long.',
    'The token is masked if the key is secret.',
  ],
  examples: [
    {
      args: [{ sub: 'ald' }, 's3cret'],
      result: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGQifQ.v56rsN9zLyvNGl1M4MqH0sFAcyRWuJID0sug3C_bk2c',
    },
  ],
  call: (args) => {
    const algorithm = args.length > 2 ? textAt(args, 2) : 'HS256';
    const sign = ALGORITHMS.get(algorithm);
    if (sign === undefined) throw new ScriptError(`argument 3 must be one of ${[...ALGORITHMS.keys()].join(', ')}.`);
    const key = textAt(args, 1);
    if (key === '') throw new ScriptError('argument 2, the key, is empty.');
    const header = objectFrom([
      ['alg', algorithm],
      ['typ', 'JWT'],
      ...entriesOf(objectAt(args, 3)).filter(([name]) => name !== 'alg'),
    ]);
    const content = `${encoded(header)}.${encoded(objectAt(args, 0))}`;
    return `${content}.${sign(content, key)}`;
  },
});
