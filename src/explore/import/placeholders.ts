/** The names in braces of a path, as OpenAPI writes placeholders. */
export const placeholdersIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{([^{}/]{1,100})\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
