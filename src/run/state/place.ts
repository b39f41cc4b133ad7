import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The folder or file behind a name, whatever the format: files of one folder share what goes before a commit. Standard output is no
 * place.
 *
 * @example placeOf('csv:out') === placeOf('ndjson:./out')
 */
export function placeOf(name: string): string | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(name) ?? [];
  if (scheme === '' || rest === '-') return undefined;
  if (rest.startsWith('//')) return name;
  const path = resolve(rest);
  try {
    return realpathSync(path);
  } catch {
    return whereThereIs(path);
  }
}

/** The real path, also of what does not exist yet: its folder may be reached by another path. */
function whereThereIs(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
