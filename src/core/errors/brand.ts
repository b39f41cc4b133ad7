/**
 * Errors are known by a mark instead of their class: an application may hold two copies of this package (two versions in one
 * tree, or the file of the command beside the library), and each has classes of its own.
 */
const BRAND = Symbol.for('headwater.error');

/** Marks the errors of a class, and those of its subclasses, with the name under which other copies know them. */
export function brand(constructor: { readonly prototype: object }, name: string): void {
  Object.defineProperty(constructor.prototype, BRAND, { value: name });
}

/**
 * What `instanceof` answers for a branded class. A subclass that an application makes has no mark of its own: it is told
 * apart by its prototype, as any class is.
 */
export function isInstance(constructor: { readonly prototype: object }, error: unknown): boolean {
  const name = ownBrand(constructor.prototype);
  if (name === undefined) return Function.prototype[Symbol.hasInstance].call(constructor, error);
  return hasBrand(error, name);
}

/** Whether a value is an error with a code that some copy of this package made, of the class of this name or below it. */
function hasBrand(error: unknown, name: string): boolean {
  if (typeof error !== 'object' || error === null || typeof Reflect.get(error, 'code') !== 'string') return false;
  for (let at = Reflect.getPrototypeOf(error); at !== null; at = Reflect.getPrototypeOf(at))
    if (ownBrand(at) === name) return true;
  return false;
}

function ownBrand(prototype: unknown): string | undefined {
  const name: unknown =
    typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, BRAND)
      ? Reflect.get(prototype, BRAND)
      : undefined;
  return typeof name === 'string' ? name : undefined;
}
