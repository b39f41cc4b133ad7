/** The nodes of the structure tree (docs/language/tables.md#columns). */
import { FatalError } from '../../core/errors/errors';

const NONE: ReadonlyMap<string, TreeNode> = new Map();

export type Kind = 'null' | 'scalar' | 'object' | 'array';

/** What is known of the values at one place. It grows while pages arrive, so it is mutable. */
export class TreeNode {
  kind: Kind = 'null';
  /** The column name, once the node has one; it never changes then (docs/language/tables.md#names-of-columns). */
  name: string | undefined = undefined;
  /** The element node of an `array`. */
  element: TreeNode | undefined = undefined;
  /** Most nodes have none, and there may be many nodes. */
  #children: Map<string, TreeNode> | undefined;

  /**
   * @param path the dataType and the keys joined with `.`, with `[]` for each array level
   * @param isElement whether this is the element node of an array
   */
  constructor(
    readonly path: string,
    readonly isElement: boolean,
  ) {}

  /** The child nodes of an `object`, in name order. */
  get children(): ReadonlyMap<string, TreeNode> {
    return this.#children ?? NONE;
  }

  /** The child node of a key; made when there is none. */
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

  /** The element node; made when there is none. */
  elementNode(): TreeNode {
    this.element ??= new TreeNode(`${this.path}.[]`, true);
    return this.element;
  }
}

const ADVICE = 'Name the value in "responseFilter" of the job to keep it as JSON text.';

/** The error for a kind that cannot follow another. */
export const kindChanged = (path: string, known: Kind, found: Kind): FatalError =>
  new FatalError(
    'API_SHAPE',
    `Error parsing response JSON: Unhandled nodeType change from "${known}" to "${found}" in "${path}". ${ADVICE}`,
  );

/** The error for an array and a single value that do not fit together. */
export const incompatibleList = (path: string, elements: Kind, lone: Kind): FatalError =>
  new FatalError(
    'API_SHAPE',
    `Error parsing response JSON: Data array in '${path}' contains incompatible types '${elements}' and '${lone}'. ${ADVICE}`,
  );
