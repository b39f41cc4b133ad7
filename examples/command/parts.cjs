/** A part of one's own, for `headwater run rivers.json --components parts.cjs`. */
const { defineFunction, textAt } = require('headwater/components');

exports.capitals = defineFunction({
  name: 'capitals',
  summary: 'A string in capital letters.',
  use: 'The API writes its codes in capitals.',
  arguments: [{ name: 'text', about: 'The string.' }],
  result: 'A string.',
  rules: ['What is no letter stays as it is.'],
  examples: [{ args: ['ald-01'], result: 'ALD-01' }],
  call: (args) => textAt(args, 0).toUpperCase(),
});
