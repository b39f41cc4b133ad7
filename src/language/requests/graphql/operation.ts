import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLError,
  OperationDefinitionNode,
  SelectionSetNode,
  TypeNode,
} from 'graphql';
import type * as Language from 'graphql/language';
import { entriesOf, isList, objectFrom } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';

/** One operation of a GraphQL document, as far as a job needs it (docs/language/graphql.md). */
export interface Operation {
  /** The names of the operations of the document. */
  readonly names: readonly string[];
  /** The name of this operation. */
  readonly name?: string;
  readonly type: 'query' | 'mutation' | 'subscription';
  /** The variables that it declares and uses, without `$`. */
  readonly variables: readonly string[];
  /** The variables that it declares and never uses: a server refuses them, or ignores their values. */
  readonly unused: readonly string[];
  /** The types of variables that are declared as one of these, or as a list of one. */
  readonly types: ReadonlyMap<string, VariableType>;
  /** The selection at its root. */
  readonly root: Selection;
}

/** The GraphQL types that do not accept strings. */
export type VariableType = 'Int' | 'Float' | 'Boolean';

/** The selection on one object: fields by their names in the response. */
export interface Selection {
  readonly names: readonly string[];
  /** Returns a field with its selection; the selection of a scalar is empty. */
  readonly field: (name: string) => SelectedField | undefined;
}

/** A selected field. */
export interface SelectedField extends Selection {
  /** Returns the variable that is passed as an argument. */
  readonly variableOf: (argument: string) => string | undefined;
}

/** The operations of a document, or its fault. */
export type ReadDocument =
  | { readonly kind: 'document'; readonly operations: readonly Operation[] }
  | { readonly kind: 'broken'; readonly because: string };

/** Loads the parser, which takes 40 ms, only for configurations with documents. */
const library = (): typeof Language => require('graphql/language') as typeof Language;

let last: { readonly text: string; readonly read: ReadDocument } | undefined;

/**
 * Reads a GraphQL document; the last one is cached, because validation reads a job several times.
 *
 * @example readDocument('query($after: String) { ships(after: $after) { nodes { id } } }')
 */
export function readDocument(text: string): ReadDocument {
  if (last?.text !== text) last = { text, read: read(text) };
  return last.read;
}

function read(text: string): ReadDocument {
  const { parse, Kind } = library();
  let document: DocumentNode;
  try {
    document = parse(text, { noLocation: true });
  } catch (error) {
    return { kind: 'broken', because: reasonOf(error) };
  }
  const fragments = new Map<string, FragmentDefinitionNode>();
  const found: OperationDefinitionNode[] = [];
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
    else if (node.kind === Kind.OPERATION_DEFINITION) found.push(node);
    else return { kind: 'broken', because: 'it defines a schema, and has to ask for data' };
  }
  if (found.length === 0) return { kind: 'broken', because: 'it has no operation' };
  const names = found.flatMap(({ name }) => name?.value ?? []);
  return { kind: 'document', operations: found.map((node) => operationOf(node, names, fragments)) };
}

/** Returns the message with its place: `Syntax Error: Expected Name, found "}".`. */
function reasonOf(error: unknown): string {
  const { message, locations } = error as Partial<GraphQLError>;
  const [at] = locations ?? [];
  const where = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`;
  return `${(message ?? String(error)).replace(/^Syntax Error: /, '').replace(/\.$/, '')}${where}`;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function operationOf(node: OperationDefinitionNode, names: readonly string[], fragments: Fragments): Operation {
  const declared = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const used = usedIn(node, fragments);
  return {
    names,
    type: node.operation,
    variables: declared.filter((name) => used.has(name)),
    unused: declared.filter((name) => !used.has(name)),
    types: typesOf(node),
    root: selectionOf([node.selectionSet], fragments),
    ...(node.name === undefined ? {} : { name: node.name.value }),
  };
}

function typesOf({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlyMap<string, VariableType> {
  const named = (type: TypeNode): string => ('type' in type ? named(type.type) : type.name.value);
  return new Map(
    variableDefinitions.flatMap(({ variable, type }) => {
      const found = TYPES.find((each) => each === named(type));
      return found === undefined ? [] : [[variable.name.value, found] as const];
    }),
  );
}

const TYPES: readonly VariableType[] = ['Int', 'Float', 'Boolean'];

/** Returns the variables used in the operation, and in the fragments that it spreads. */
function usedIn(operation: OperationDefinitionNode, fragments: Fragments): ReadonlySet<string> {
  const { visit } = library();
  const used = new Set<string>();
  const walked = new Set<string>();
  const walk = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => void used.add(name.value),
      FragmentSpread: ({ name: { value: name } }) => {
        const fragment = fragments.get(name);
        if (fragment === undefined || walked.has(name)) return;
        walked.add(name);
        walk(fragment);
      },
    });
  };
  walk(operation);
  return used;
}

function selectionOf(sets: readonly SelectionSetNode[], fragments: Fragments): Selection {
  const fields = sets.flatMap((set) => fieldsOf(set, fragments, new Set()));
  const named = (name: string): readonly FieldNode[] => fields.filter((field) => responseName(field) === name);
  return {
    names: [...new Set(fields.map(responseName))],
    field: (name) => {
      const found = named(name);
      if (found.length === 0) return undefined;
      return {
        ...selectionOf(
          found.flatMap(({ selectionSet }) => selectionSet ?? []),
          fragments,
        ),
        variableOf: (argument) => variableIn(found, argument),
      };
    },
  };
}

const responseName = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** Returns the fields of a selection, with the fields of its fragments. */
const fieldsOf = (set: SelectionSetNode, fragments: Fragments, within: ReadonlySet<string>): readonly FieldNode[] =>
  set.selections.flatMap((selection): readonly FieldNode[] => {
    if (selection.kind === library().Kind.FIELD) return [selection];
    if (selection.kind === library().Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, fragments, within);
    const name = selection.name.value;
    const fragment = fragments.get(name);
    if (fragment === undefined || within.has(name)) return [];
    return fieldsOf(fragment.selectionSet, fragments, new Set([...within, name]));
  });

function variableIn(fields: readonly FieldNode[], argument: string): string | undefined {
  const values = fields.flatMap(({ arguments: all = [] }) => all.filter(({ name }) => name.value === argument));
  const [value] = values.map((each) => each.value);
  return value?.kind === library().Kind.VARIABLE ? value.name.value : undefined;
}

/** The spellings of values of a type; longer numbers would lose digits. */
const SPELLED: Readonly<Record<VariableType, RegExp>> = {
  Int: /^-?\d{1,15}$/,
  Float: /^-?(?=[\d.]{1,16}(?:[eE]|$))\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  Boolean: /^(?:true|false)$/,
};

/**
 * Variables with values of the types that the document declares (docs/language/graphql.md#variables): text from a
 * placeholder or an attribute becomes a number or a boolean if the API accepts no string. Any other text stays.
 *
 * @example typedVariables({ id: '7' }, new Map([['id', 'Int']])) // { id: 7 }
 */
export function typedVariables(variables: JsonObject, types: ReadonlyMap<string, VariableType>): JsonObject {
  if (types.size === 0) return variables;
  return objectFrom(
    entriesOf(variables).map(([name, value]) => {
      const type = types.get(name);
      return [name, type === undefined ? value : typed(value, type)] as const;
    }),
  );
}

function typed(value: Json, type: VariableType): Json {
  if (isList(value)) return value.map((element) => typed(element, type));
  if (typeof value !== 'string' || !SPELLED[type].test(value)) return value;
  return type === 'Boolean' ? value === 'true' : Number(value);
}
