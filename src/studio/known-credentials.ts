/** Credentials whose secrets a document cannot say: they come from variables, or from the person. */
import { variableOf } from '../explore/detect/secret-reference';
import type { Credential } from '..';
import { RefusedRequest } from './refused-request';
import type { GivenCredential } from './wire';

/** @returns the variables that stand for what the credentials lack */
export const variablesWanted = (credentials: readonly Credential[]): readonly string[] => [
  ...new Set(
    credentials.flatMap((each) => [...partsOf(each)].flatMap(([name, value]) => (value === '' ? [name] : []))),
  ),
];

/** @param values by variable */
export const filledCredentials = (
  credentials: readonly Credential[],
  values: Readonly<Record<string, string>>,
): readonly Credential[] =>
  credentials.map((each) => {
    const parts = new Map(
      [...partsOf(each)].map(([name, value]) => [
        name,
        value === '' && Object.hasOwn(values, name) ? (values[name] ?? '') : value,
      ]),
    );
    const at = (attribute: string): string => parts.get(variableOf(attribute)) ?? '';
    if (each.kind === 'basic') return { ...each, username: at('username'), secret: at('#password') };
    if (each.kind === 'client') return { ...each, clientId: at('clientId'), secret: at('#clientSecret') };
    return { ...each, secret: at(each.attribute) };
  });

/** As RFC 9110 has names of headers. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The credential that a person gives for an address that wants one.
 *
 * @throws RefusedRequest VALUE_MISSING
 */
export function credentialOf({ kind, name = '', secret = '' }: Partial<GivenCredential>): Credential {
  const isHeader = kind === 'header' && HEADER_NAME.test(name);
  if (secret === '' || /[\r\n\0]/.test(secret) || (kind === 'header' && !isHeader) || (kind === 'basic' && name === ''))
    throw new RefusedRequest(
      422,
      'VALUE_MISSING',
      'The credentials lack a value, or have one that no header can have.',
    );
  if (kind === 'basic') return { kind, username: name, secret };
  if (kind === 'header') return { kind, name: name.toLowerCase(), attribute: '#key', secret };
  return { kind: 'bearer', scheme: 'Bearer', attribute: '#token', secret };
}

/** What a credential is made of, by variable. */
function partsOf(credential: Credential): ReadonlyMap<string, string> {
  const { kind, secret } = credential;
  if (kind === 'basic')
    return new Map([
      [variableOf('username'), credential.username],
      [variableOf('#password'), secret],
    ]);
  if (kind === 'client')
    return new Map([
      [variableOf('clientId'), credential.clientId],
      [variableOf('#clientSecret'), secret],
    ]);
  return new Map([[variableOf(credential.attribute), secret]]);
}
