/**
 * Tells bundlers of applications that what a file defines at its top can be left out where nothing uses it. Our modules only define,
 * and so do those of the packages inside; but a bundler sees one file of many modules, and cannot know of `const a = b(c)` that
 * `b` does nothing else.
 */
import { parseAst } from 'rolldown/parseAst';

export const withoutEffects = {
  name: 'without-effects',
  renderChunk: (code) => ({ code: marked(code), map: null }),
};

/** `const a = b(c);` becomes `const a = /* @__PURE__ *\/ (() => b(c))();`, on the same line, so that maps stay true. */
export function marked(code) {
  const parts = [];
  let done = 0;
  for (const { init } of parseAst(code).body.flatMap(constantsOf)) {
    if (init === null || !doesSomething(init)) continue;
    const { start, end } = init;
    parts.push(code.slice(done, start), '/* @__PURE__ */ (() => (', code.slice(start, end), '))()');
    done = end;
  }
  return [...parts, code.slice(done)].join('');
}

function constantsOf(statement) {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.filter(({ id }) => id.type === 'Identifier');
}

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression']);
const EFFECTS = new Set([
  'CallExpression',
  'NewExpression',
  'MemberExpression',
  'TaggedTemplateExpression',
  'SpreadElement',
]);

/** Whether a bundler has to believe that evaluating this does something: bodies of functions are not evaluated. */
function doesSomething(node) {
  if (FUNCTIONS.has(node.type)) return false;
  if (EFFECTS.has(node.type)) return true;
  return Object.values(node).some((child) =>
    Array.isArray(child)
      ? child.some((each) => isNode(each) && doesSomething(each))
      : isNode(child) && doesSomething(child),
  );
}

const isNode = (value) => typeof value === 'object' && value !== null && typeof value.type === 'string';
