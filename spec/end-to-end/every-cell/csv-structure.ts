/** The structure tree of the language's own tables (docs/language/tables.md), and the names in it. */
import type { Value } from './json-value';

type Kind = 'null' | 'scalar' | 'object' | 'array';

export class Node {
  kind: Kind = 'null';
  name: string | undefined;
  children = new Map<string, Node>();
  element: Node | undefined;

  merge(value: Value, isElement = false): void {
    if (value.kind === 'null') return;
    const kind = isElement && value.kind === 'list' ? 'scalar' : kindOf(value);
    if (this.kind === 'null' || this.kind === kind) this.#take(kind, value);
    else if (this.kind === 'array') this.elementNode().merge(value, true);
    else if (kind === 'array') this.#becomeList(value);
    else throw new Error(`a ${kind} where a ${this.kind} was: the API is not alike`);
  }

  #take(kind: Kind, value: Value): void {
    this.kind = kind;
    if (value.kind === 'object')
      for (const [key, member] of value.members) {
        const child = this.children.get(key) ?? new Node();
        this.children.set(key, child);
        child.merge(member);
      }
    else if (kind === 'array' && value.kind === 'list')
      for (const element of value.elements) this.elementNode().merge(element, true);
  }

  /** The keys of the list come first, then the others of the object. */
  #becomeList(value: Value): void {
    const { children, kind } = this;
    this.kind = 'array';
    this.children = new Map();
    if (value.kind === 'list') for (const element of value.elements) this.elementNode().merge(element, true);
    const element = this.elementNode();
    if (element.kind === 'null') element.kind = kind;
    if (kind === 'object')
      for (const [key, child] of children) if (!element.children.has(key)) element.children.set(key, bare(child));
  }

  elementNode(): Node {
    this.element ??= new Node();
    return this.element;
  }
}

/** A column of the table of a list has no name yet. */
function bare(node: Node): Node {
  const copy = new Node();
  copy.kind = node.kind;
  for (const [key, child] of node.children) copy.children.set(key, bare(child));
  if (node.element !== undefined) copy.element = bare(node.element);
  return copy;
}

const kindOf = ({ kind }: Value): Kind =>
  kind === 'list' ? 'array' : kind === 'object' ? 'object' : kind === 'null' ? 'null' : 'scalar';

/** Names that are short enough to be only made safe. */
export const safe = (name: string): string =>
  Array.from(Buffer.from(name), (byte) => String.fromCharCode(byte))
    .join('')
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '');

/** Gives names to the nodes that have none, in the order of the tree. */
export function nameAll(list: Node): void {
  const taken = new Set<string>();
  const known = (node: Node): void => {
    for (const child of node.children.values()) {
      if (child.name !== undefined) taken.add(child.name);
      known(child);
    }
  };
  const give = (node: Node, prefix: string): void => {
    for (const [key, child] of node.children) {
      child.name ??= freeName(safe(`${prefix}${key}`), taken);
      taken.add(child.name);
      if (child.kind === 'array') nameAll(child);
      else give(child, `${prefix}${key}.`);
    }
  };
  known(list.elementNode());
  give(list.elementNode(), '');
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (name !== '' && !taken.has(name)) return name;
  let count = 0;
  while (taken.has(`${name}_u${count}`)) count += 1;
  return `${name}_u${count}`;
}
