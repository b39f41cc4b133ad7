/**
 * The flat structure of the legacy table builder (docs/language/tables.md#legacy-tables), in version 2 of the state:
 * type path, key, kind.
 */
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import type { Json, JsonObject } from '../../core/model';
import { DATA } from './columns';
import type { TreeNode } from './node';
import { STRUCT, STRUCT_VERSION } from './state';
import type { KnownStructure } from './state';

/** @param struct the value of `json_parser.struct`; unusable parts count as unknown */
export function knownLegacyStructure(struct: Json | undefined): KnownStructure {
  const types = isObject(struct) ? struct : {};
  return {
    restore: (root, dataType) => restoreElement(root.elementNode(), types, dataType),
    aliases: new Map(),
    save: (roots) => ({
      [STRUCT]: objectFrom([
        ...entriesOf(types),
        ...[...roots].flatMap(([dataType, root]) => savedTypes(root.elementNode(), dataType)),
      ]),
      [STRUCT_VERSION]: 2,
    }),
  };
}

/** A type whose only key is `data` may be one of scalars as well: the items decide. */
function restoreElement(element: TreeNode, types: JsonObject, path: string): void {
  const keys = keysOfType(types, path);
  if (keys.length > 0 && !(keys.length === 1 && keys[0]?.[0] === DATA)) restoreObject(element, types, path);
}

function restoreObject(node: TreeNode, types: JsonObject, path: string): void {
  node.kind = 'object';
  for (const [key, kind] of keysOfType(types, path)) restoreChild(node.child(key), kind, types, `${path}.${key}`);
}

function restoreChild(child: TreeNode, kind: Json, types: JsonObject, path: string): void {
  if (typeof kind !== 'string' || kind === 'NULL') return;
  if (kind === 'object') restoreObject(child, types, path);
  else if (kind.startsWith('array')) {
    child.kind = 'array';
    const element = child.elementNode();
    if (kind === 'array' || kind === 'arrayOfobject') restoreElement(element, types, path);
    else if (kind !== 'arrayOfNULL') element.kind = 'scalar';
  } else child.kind = 'scalar';
}

function savedTypes(element: TreeNode, path: string): readonly (readonly [string, JsonObject])[] {
  if (element.kind === 'null') return [];
  if (element.kind === 'scalar') return [[path, { [DATA]: 'scalar' }]];
  const inner = [...element.children].flatMap(([key, child]) => {
    if (child.kind === 'object') return savedTypes(child, `${path}.${key}`);
    return child.kind === 'array' ? savedTypes(child.elementNode(), `${path}.${key}`) : [];
  });
  return [[path, objectFrom([...element.children].map(([key, child]) => [key, kindOf(child)] as const))], ...inner];
}

function kindOf(node: TreeNode): string {
  if (node.kind === 'null') return 'NULL';
  if (node.kind !== 'array') return node.kind;
  const { kind } = node.elementNode();
  return kind === 'null' ? 'array' : `arrayOf${kind}`;
}

function keysOfType(types: JsonObject, path: string): readonly (readonly [string, Json])[] {
  const keys = ownValue(types, path);
  return isObject(keys) ? entriesOf(keys) : [];
}
