import { plainName } from '../detect/leaves';
import { placeholdersIn } from './placeholders';
import type { Beginning } from './imported';

/**
 * Makes children of lists whose paths go through an item of another list: `/users/{id}/posts` is called for the items of `/users`.
 *
 * @returns the same, parents before their children
 */
export function withParents(beginnings: readonly Beginning[]): readonly Beginning[] {
  const byPath = new Map(beginnings.map((each) => [shapeOf(each.id), each]));
  const linked = beginnings.map((each) => {
    const above = parentOf(each, byPath);
    return above === undefined ? each : childOf(each, above);
  });
  return [...linked].sort(
    (a, b) => Number(a.parent !== undefined) - Number(b.parent !== undefined) || depth(a) - depth(b),
  );
}

const depth = ({ id }: Beginning): number => id.split('/').length;

/** Names of placeholders do not count: `/users/{id}` and `/users/{userId}` are the same place. */
const shapeOf = (path: string): string => path.replace(/\/$/, '').replaceAll(/\{[^{}/]*\}/g, '{}');

/** The list whose items the last placeholder of a path stands for. */
function parentOf({ id }: Beginning, byPath: ReadonlyMap<string, Beginning>): Beginning | undefined {
  const segments = id.replace(/\/$/, '').split('/');
  const at = segments.findLastIndex((segment) => /^\{[^{}/]+\}$/.test(segment));
  return at < 1 ? undefined : byPath.get(shapeOf(segments.slice(0, at).join('/')));
}

function childOf(child: Beginning, parent: Beginning): Beginning {
  const names = placeholdersIn(child.id);
  const above = placeholdersIn(parent.id);
  const own = names.slice(above.length);
  // A child has the placeholders of those above it, by the names that they have there.
  const url = above.reduce(
    (text, name, at) => text.replace(`{${names[at] ?? ''}}`, () => `{${name}}`),
    child.request.url,
  );
  return {
    ...child,
    request: { ...child.request, url },
    parent: parent.id,
    placeholders: Object.fromEntries(own.map((name) => [name, fieldOf(name)])),
    missing: child.missing.filter((name) => !names.includes(name)),
  };
}

/** `user_id` and `userId` stand for the id of a user; other names for the field of that name. */
const fieldOf = (name: string): string => (/id$/.test(plainName(name)) && !/uuid$/.test(plainName(name)) ? 'id' : name);
