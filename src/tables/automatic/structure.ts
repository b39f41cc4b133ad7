/** The nodes of the structure tree (docs/language/tables.md#columns). */
import { FatalError } from '../../core/errors/errors';
import { isList, keysOf } from '../../core/json/objects';
import type { Item, Json, JsonArray, JsonObject } from '../../core/model';

const NONE: ReadonlyMap<string, TreeNode> = new Map();

export type Kind = 'null' | 'scalar' | 'object' | 'array';

/** The known structure of the values at one place. It grows while pages arrive, so it is mutable. */
export class TreeNode {
  kind: Kind = 'null';
  /** The column name, once the node has one; it never changes then (docs/language/tables.md#names-of-columns). */
  name: string | undefined = undefined;
  /** The element node of an `array`. */
  element: TreeNode | undefined = undefined;
  /** Created on demand: most nodes have none, and there may be many nodes. */
  #children: Map<string, TreeNode> | undefined;

  /**
   * @param path the dataType and the keys joined with `.`, with `[]` for each array level
   * @param isElement whether this is the element node of an array
   */
  constructor(
    readonly path: string,
    readonly isElement: boolean,
  ) {}

  /** Returns the child nodes of an `object`, in name order. */
  get children(): ReadonlyMap<string, TreeNode> {
    return this.#children ?? NONE;
  }

  /** Returns the child node of a key; it is created if it does not exist. */
  child(key: string): TreeNode {
    this.#children ??= new Map();
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const made = new TreeNode(`${this.path}.${key}`, false);
    this.#children.set(key, made);
    return made;
  }

  forgetChildren(): void {
    this.#children = undefined;
  }

  /** Returns the element node; it is created if it does not exist. */
  elementNode(): TreeNode {
    this.element ??= new TreeNode(`${this.path}.[]`, true);
    return this.element;
  }
}

const ADVICE = 'Name the value in "responseFilter" of the job to keep it as JSON text.';

const misshapen = (what: string): FatalError =>
  new FatalError('API_SHAPE', `Error parsing response JSON: ${what}. ${ADVICE}`);

/** Returns the error for a kind that cannot follow another. */
const kindChanged = (path: string, known: Kind, found: Kind): FatalError =>
  misshapen(`Unhandled nodeType change from "${known}" to "${found}" in "${path}"`);

/** Refuses a single value that does not fit the elements of an array. */
function requireKind(path: string, { kind: elements }: TreeNode, lone: Kind): void {
  if (elements !== 'null' && elements !== lone)
    throw misshapen(`Data array in '${path}' contains incompatible types '${elements}' and '${lone}'`);
}

/**
 * Merges the known structure of single values into the tree of an array that was found in their place
 * (docs/language/tables.md#when-kinds-differ): the keys of the array come first. Names are not taken over, since the columns are now in
 * another table.
 *
 * @throws FatalError `API_SHAPE` when the kinds do not fit together
 */
function mergeTree(into: TreeNode, known: TreeNode): void {
  if (known.kind === 'null') return;
  if (known.kind === into.kind || into.kind === 'null') mergeSameKind(into, known);
  else if (known.kind === 'array') wrap(into, known);
  else if (into.kind === 'array') mergeSingleValue(into, known);
  else throw kindChanged(into.path, known.kind, into.kind);
}

function mergeSameKind(into: TreeNode, known: TreeNode): void {
  into.kind = known.kind;
  for (const [key, child] of known.children) mergeTree(into.child(key), child);
  if (known.element !== undefined) mergeTree(into.elementNode(), known.element);
}

/** Wraps a known single value as the one element of an array. */
function wrap(into: TreeNode, known: TreeNode): void {
  const element = known.elementNode();
  requireKind(into.path, element, into.kind);
  const list = into.elementNode();
  list.kind = into.kind;
  for (const [key, child] of into.children) mergeTree(list.child(key), child);
  into.forgetChildren();
  into.kind = 'array';
  mergeTree(list, element);
}

/** Makes a known single value an element of the array. */
function mergeSingleValue(into: TreeNode, known: TreeNode): void {
  const element = into.elementNode();
  requireKind(into.path, element, known.kind);
  mergeTree(element, known);
}

/**
 * The structure tree of one dataType (docs/language/tables.md#columns), grown item by item.
 *
 * @example
 * const structure = new Structure('boats', console.warn);
 * structure.merge({ id: 1, crew: ['Ann'] });
 */
export class Structure {
  /** An `array` whose elements are the items. */
  readonly root: TreeNode;
  /** Grows whenever earlier rows would now be different. */
  revision = 0;
  readonly #reported = new Set<string>();

  /** @param warn is called once for each place whose arrays are kept as JSON text */
  constructor(
    dataType: string,
    private readonly warn: (message: string) => void,
  ) {
    this.root = new TreeNode(dataType, false);
    this.root.kind = 'array';
    this.root.elementNode();
  }

  /**
   * Adds the structure of one item.
   *
   * @throws FatalError `API_SHAPE` when the item does not fit the structure
   */
  merge(item: Item): void {
    this.#mergeElement(this.root.elementNode(), item);
  }

  #mergeElement(element: TreeNode, value: Json): void {
    if (!isList(value)) {
      this.#mergeValue(element, value);
      return;
    }
    if (!this.#reported.has(element.path)) this.warn(`Converting nested array '${element.path}' to JSON string.`);
    this.#reported.add(element.path);
    this.#mergeScalar(element, '');
  }

  #mergeValue(node: TreeNode, value: Json): void {
    if (value === null) return;
    if (typeof value !== 'object') this.#mergeScalar(node, value);
    else if (isList(value)) this.#mergeList(node, value);
    else this.#mergeObject(node, value);
  }

  #mergeScalar(node: TreeNode, value: Json): void {
    if (node.kind === 'scalar') return;
    if (node.kind === 'null') {
      node.kind = 'scalar';
      // Otherwise the node already had its column, with empty cells.
      if (node.isElement) this.revision += 1;
    } else this.#mergeLone(node, 'scalar', value);
  }

  #mergeObject(node: TreeNode, value: JsonObject): void {
    if (node.kind === 'null') {
      node.kind = 'object';
      this.revision += 1;
    } else if (node.kind !== 'object') {
      this.#mergeLone(node, 'object', value);
      return;
    }
    for (const key of keysOf(value)) {
      let child = node.children.get(key);
      if (child === undefined) {
        child = node.child(key);
        this.revision += 1;
      }
      this.#mergeValue(child, value[key] as Json);
    }
  }

  #mergeList(node: TreeNode, list: JsonArray): void {
    if (node.kind === 'scalar' || node.kind === 'object') this.#becomeList(node, list);
    else {
      if (node.kind === 'null') this.revision += 1;
      node.kind = 'array';
      const element = node.elementNode();
      for (const value of list) this.#mergeElement(element, value);
    }
  }

  /** Merges a single value where arrays are known: it is an array of one. */
  #mergeLone(node: TreeNode, kind: 'scalar' | 'object', value: Json): void {
    if (node.kind !== 'array') throw kindChanged(node.path, node.kind, kind);
    const element = node.elementNode();
    requireKind(node.path, element, kind);
    this.#mergeValue(element, value);
  }

  /** Merges an array where single values are known: they were arrays of one. */
  #becomeList(node: TreeNode, list: JsonArray): void {
    const lone = new TreeNode(node.path, node.isElement);
    mergeTree(lone, node);
    const element = node.elementNode();
    for (const value of list) this.#mergeElement(element, value);
    requireKind(node.path, element, lone.kind);
    node.kind = 'array';
    node.forgetChildren();
    mergeTree(element, lone);
    this.revision += 1;
  }
}
