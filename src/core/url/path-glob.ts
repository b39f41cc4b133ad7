/**
 * Compiles a glob over the path of a URL: `*` stands for anything within a segment, `**` for anything, and a segment `**`
 * also for no segment. Percent-encoding makes no difference, but that of reserved characters (`%2F` is no `/`).
 *
 * @returns whether the path of a URL, as {@link URL.pathname} gives it, is meant
 * @example pathGlob('/v1/**')('/v1') // true
 * @example pathGlob('/v1/*')('/v1/a/b') // false
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const parts = decoded(glob).match(/\/\*\*(?=\/|$)|\*\*|\*|[^*/]+|\//g) ?? [];
  const pattern = new RegExp(`^${parts.map(patternOf).join('')}$`, 's');
  return (path) => pattern.test(decoded(path));
}

function patternOf(part: string): string {
  if (part === '/**') return '(?:/.*)?';
  if (part === '**') return '.*';
  if (part === '*') return '[^/]*';
  return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
