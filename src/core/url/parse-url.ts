/**
 * The URL that a string is, or `undefined`. In place of `URL.canParse`: once it is optimised, that of Node 20 refuses host
 * names with letters such as `ü`.
 *
 * @param from absolute URL that the string may be relative to
 * @example parseUrl('/b', 'https://h.example/a')?.href // 'https://h.example/b'
 */
export function parseUrl(text: string, from?: string): URL | undefined {
  try {
    return new URL(text, from);
  } catch {
    return undefined;
  }
}
