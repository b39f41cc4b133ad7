/** Credentials whose secrets a document cannot say: they come from variables, or from the person. */
import type { Credential } from '../index';
import { variableOf } from '../discover/secret-reference';

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
