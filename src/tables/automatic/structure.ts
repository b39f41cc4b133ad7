/** The structure tree of one dataType (docs/language/tables.md#columns), grown item by item. */
import { isList, keysOf } from '../../core/json/keys';
import type { Item, Json, JsonArray, JsonObject } from '../../core/model';
import { mergeTree } from './merge-tree';
import { TreeNode, incompatibleList, kindChanged } from './node';

/**
 * @example
 * const structure = new Structure('boats', console.warn);
 * structure.merge({ id: 1, crew: ['Ann'] });
 */
export class Structure {
  /** An `array` whose elements are the items. */
  readonly root: TreeNode;
  /** Grows whenever rows that were made before would now come out differently. */
  revision = 0;
  #nestedLists = 0;
  readonly #reported = new Set<string>();

  /** @param warn called once for each place whose arrays are kept as JSON text */
  constructor(
    dataType: string,
    private readonly warn: (message: string) => void,
  ) {
    this.root = new TreeNode(dataType, false);
    this.root.kind = 'array';
    this.root.elementNode();
  }

  /**
   * Adds what one item shows.
   *
   * @returns whether the item has an array directly in an array
   * @throws FatalError `API_SHAPE` when the item does not fit what is known
   */
  merge(item: Item): boolean {
    const before = this.#nestedLists;
    this.#mergeElement(this.root.elementNode(), item);
    return this.#nestedLists > before;
  }

  #mergeElement(element: TreeNode, value: Json): void {
    if (!isList(value)) {
      this.#mergeValue(element, value);
      return;
    }
    this.#nestedLists += 1;
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
      // Elsewhere the node had its column already, with empty cells.
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

  /** A single value where arrays are known is an array of one. */
  #mergeLone(node: TreeNode, kind: 'scalar' | 'object', value: Json): void {
    if (node.kind !== 'array') throw kindChanged(node.path, node.kind, kind);
    const element = node.elementNode();
    if (element.kind !== 'null' && element.kind !== kind) throw incompatibleList(node.path, element.kind, kind);
    this.#mergeValue(element, value);
  }

  /** An array where single values are known: they were arrays of one. */
  #becomeList(node: TreeNode, list: JsonArray): void {
    const lone = new TreeNode(node.path, node.isElement);
    mergeTree(lone, node);
    const element = node.elementNode();
    for (const value of list) this.#mergeElement(element, value);
    if (element.kind !== 'null' && element.kind !== lone.kind)
      throw incompatibleList(node.path, element.kind, lone.kind);
    node.kind = 'array';
    node.forgetChildren();
    mergeTree(element, lone);
    this.revision += 1;
  }
}
