import { tooManyColumns } from '../core/errors/too-many-columns';
import type { Naming } from './automatic/columns';
import type { TreeNode } from './automatic/node';

/**
 * Checks that the table of an array, and those of arrays in it, have no more columns of data than they may.
 *
 * @throws FatalError TABLE_COLUMNS
 */
export function checkColumns(list: TreeNode, most: number, naming: Pick<Naming, 'tableName'>, path = list.path): void {
  if (most === Infinity) return;
  let columns = 0;
  const visit = (node: TreeNode, at: string): void => {
    for (const [key, child] of node.children) {
      const place = `${at}.${key}`;
      if (child.kind === 'object') {
        visit(child, place);
        continue;
      }
      columns += 1;
      if (columns > most) throw tooManyColumns(naming.tableName(path), most, [...node.children.keys()]);
      if (child.kind === 'array') checkColumns(child, most, naming, place);
    }
  };
  visit(list.elementNode(), path);
}
