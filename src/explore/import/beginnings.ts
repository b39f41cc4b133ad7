/** The beginnings of an import, made ready to be asked. */
import type { Credential } from '../detect/subject';
import type { Beginning } from './imported';

/** An address with values in place of its placeholders. */
export const filled = (url: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, () => encodeURIComponent(value)),
    url,
  );

/** Tables have names that differ: a list that is called as another has the name of its parent before it. */
export function withNames(beginnings: readonly Beginning[]): readonly Beginning[] {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  return beginnings.map((each) => {
    const above = each.parent === undefined ? undefined : names.get(each.parent);
    const wanted = taken.has(each.name) && above !== undefined ? `${above}_${each.name}` : each.name;
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    taken.add(name);
    names.set(each.id, name);
    return { ...each, name };
  });
}

/** A credential that was given stands for the one that the import asks for in its place. */
export function withHeaders(beginning: Beginning, headers: Readonly<Record<string, string>> = {}): Beginning {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isOpen = (each: Credential): boolean =>
    each.kind === 'header'
      ? !Object.hasOwn(given, each.name)
      : each.kind === 'query' || !Object.hasOwn(given, 'authorization');
  const { request } = beginning;
  const credentials = request.credentials?.filter(isOpen);
  return {
    ...beginning,
    request: {
      ...request,
      headers: { ...request.headers, ...given },
      ...(credentials === undefined ? {} : { credentials }),
    },
  };
}
