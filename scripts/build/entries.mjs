/**
 * The entries of the package: a line each. package.json names them (`exports`, `typesVersions`) as the build writes them there,
 * and the library, the declarations, docs/api and the checks of the package are made from this list.
 */
export const ENTRIES = {
  '.': 'src/index.ts',
  './components': 'src/components.ts',
  './operators': 'src/operators/index.ts',
  './otel': 'src/otel.ts',
  './temporal': 'src/temporal.ts',
  './testing': 'src/testing.ts',
};

/** `src/operators/index.ts` → `operators/index`: what its files are called below dist. */
export const stemOf = (source) => source.replace(/^src\//, '').replace(/\.ts$/, '');
