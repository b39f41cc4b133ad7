import { FatalError, placeOf } from '..';

/**
 * Refuses a configuration that is named twice, by whatever path.
 *
 * @throws FatalError CONFIG_INVALID
 * @example refuseSameFiles(['a.yaml', './a.yaml'])
 */
export function refuseSameFiles(paths: readonly string[]): void {
  const known = new Map<string, string>();
  for (const path of paths) {
    const place = path === '-' ? '-' : (placeOf(`file:${path}`) ?? path);
    const other = known.get(place);
    if (other !== undefined) throw new FatalError('CONFIG_INVALID', twice(path, other));
    known.set(place, path);
  }
}

const twice = (path: string, other: string): string => {
  if (path === '-') return 'Standard input (-) is named twice, and can be read once.';
  return path === other
    ? `${path} is named twice. Name each configuration once.`
    : `${path} is the same file as ${other}. Name each configuration once.`;
};
