/**
 * A lint rule: objects of JSON are not spread. A spread puts keys that look like integers first and forgets how numbers were
 * spelled, where `objectFrom`, `merge` and `withMember` keep both.
 */
const MESSAGE =
  'A spread loses the order of integer-like keys and the digits of numbers: use objectFrom, merge or withMember.';

/** @type {import('eslint').Rule.RuleModule} */
export const noJsonSpread = {
  meta: { type: 'problem', schema: [], messages: { spread: MESSAGE } },
  create(context) {
    const services = context.sourceCode.parserServices;
    const check = (node, value) => {
      const parts = (type) => (type.isUnionOrIntersection() ? type.types.flatMap(parts) : [type]);
      if (parts(services.getTypeAtLocation(value)).some(isJsonObject)) context.report({ node, messageId: 'spread' });
    };
    return {
      'ObjectExpression > SpreadElement': (node) => check(node, node.argument),
      'ObjectPattern > RestElement': (node) => check(node, node.parent),
    };
  },
};

/** `JsonObject` itself, or any other type whose members are `Json` under whatever name. */
function isJsonObject(type) {
  if (type.symbol?.name === 'JsonObject') return true;
  return type.getStringIndexType()?.aliasSymbol?.name === 'Json';
}
