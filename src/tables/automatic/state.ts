/** The structure that is passed from one run to the next (docs/language/state.md#where-it-is-kept), in version 3. */
import { entriesOf, isObject, objectAt, objectFrom, ownValue } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { DATA } from './columns';
import type { Kind, TreeNode } from './structure';

export const STRUCT = 'json_parser.struct';
export const STRUCT_VERSION = 'json_parser.structVersion';

const KINDS: readonly Kind[] = ['null', 'scalar', 'object', 'array'];
const ELEMENT = '[]';

/** The structure from earlier runs. */
export interface KnownStructure {
  /** Adds the known structure of a dataType to the root of its tree. */
  readonly restore: (root: TreeNode, dataType: string) => void;
  /** Names of extra columns that were renamed because of a key, by raw name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Returns the structure for the next run: the trees of this one, and the dataTypes that it lacks. */
  readonly save: (roots: ReadonlyMap<string, TreeNode>, aliases: ReadonlyMap<string, string>) => JsonObject;
}

/** @param struct the value of `json_parser.struct`; unusable parts count as unknown */
export function knownStructure(struct: Json | undefined): KnownStructure {
  const data = objectAt(struct, 'data');
  return {
    restore: (root, dataType) => restoreNode(root.elementNode(), objectAt(data, `_${dataType}`)[ELEMENT]),
    aliases: new Map(
      entriesOf(objectAt(struct, 'parent_aliases')).flatMap(([raw, name]) =>
        typeof name === 'string' ? [[raw, name] as const] : [],
      ),
    ),
    save: (roots, aliases) => ({
      [STRUCT]: {
        data: objectFrom([
          ...entriesOf(data),
          ...[...roots].map(([type, root]) => [`_${type}`, savedNode(root)] as const),
        ]),
        parent_aliases: aliases.size === 0 ? [] : objectFrom(aliases),
      },
      [STRUCT_VERSION]: 3,
    }),
  };
}

function restoreNode(node: TreeNode, saved: Json | undefined): void {
  if (!isObject(saved)) return;
  const kind = KINDS.find((known) => known === ownValue(saved, 'nodeType'));
  if (kind !== undefined && !(node.isElement && kind === 'array')) node.kind = kind;
  const name = ownValue(saved, 'headerNames');
  if (typeof name === 'string') node.name = name;
  if (node.kind === 'array') restoreNode(node.elementNode(), ownValue(saved, ELEMENT));
  if (node.kind !== 'object') return;
  for (const [key, child] of entriesOf(saved))
    if (key.startsWith('_') && isObject(child) && ownValue(child, 'type') !== 'parent')
      restoreNode(node.child(key.slice(1)), child);
}

function savedNode(node: TreeNode): JsonObject {
  const name = node.isElement ? DATA : node.name;
  const own: (readonly [string, Json])[] = [['nodeType', node.kind]];
  if (name !== undefined) own.push(['headerNames', name]);
  if (node.kind === 'array') own.push([ELEMENT, savedNode(node.elementNode())]);
  return objectFrom([...own, ...[...node.children].map(([key, child]) => [`_${key}`, savedNode(child)] as const)]);
}

/**
 * The flat structure of the legacy table builder (docs/language/tables.md#legacy-tables), in version 2 of the state: type path, key, kind.
 *
 * @param struct the value of `json_parser.struct`; unusable parts count as unknown
 */
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

/** Restores an element. A type whose only key is `data` may also be one of scalars: the items decide. */
function restoreElement(element: TreeNode, types: JsonObject, path: string): void {
  const keys = entriesOf(objectAt(types, path));
  if (keys.length > 0 && !(keys.length === 1 && keys[0]?.[0] === DATA)) restoreObject(element, types, path);
}

function restoreObject(node: TreeNode, types: JsonObject, path: string): void {
  node.kind = 'object';
  for (const [key, kind] of entriesOf(objectAt(types, path)))
    restoreChild(node.child(key), kind, types, `${path}.${key}`);
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
