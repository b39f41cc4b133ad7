/**
 * Merges one structure tree into another: for single values that turn out to be arrays
 * (docs/language/tables.md#when-kinds-differ).
 */
import { incompatibleList, kindChanged } from './node';
import type { TreeNode } from './node';

/**
 * Merges what is known of a place into the tree of an array that was found there: the keys of the array stay first. Names are not taken
 * over, since the columns are in another table now.
 *
 * @throws FatalError `API_SHAPE` when the kinds do not fit together
 */
export function mergeTree(into: TreeNode, known: TreeNode): void {
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

/** The single value becomes the one element of an array that is known already. */
function wrap(into: TreeNode, known: TreeNode): void {
  const element = known.elementNode();
  if (element.kind !== 'null' && element.kind !== into.kind) throw incompatibleList(into.path, element.kind, into.kind);
  const list = into.elementNode();
  list.kind = into.kind;
  for (const [key, child] of into.children) mergeTree(list.child(key), child);
  into.forgetChildren();
  into.kind = 'array';
  mergeTree(list, element);
}

/** A single value that is known already becomes an element of the array. */
function mergeSingleValue(into: TreeNode, known: TreeNode): void {
  const element = into.elementNode();
  if (element.kind !== 'null' && element.kind !== known.kind)
    throw incompatibleList(into.path, element.kind, known.kind);
  mergeTree(element, known);
}
