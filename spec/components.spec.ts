import * as components from '../src/components';

describe('headwater/components', () => {
  it('exports these names', () => {
    expect(Object.keys(components).sort()).toMatchInlineSnapshot(`
     [
       "EXAMPLE_NOW",
       "ScriptError",
       "Unreadable",
       "always",
       "defineFormat",
       "defineFunction",
       "definePagination",
       "encoding",
       "exactValueAt",
       "flag",
       "goOn",
       "integer",
       "integerFrom",
       "integerParam",
       "list",
       "numeric",
       "object",
       "oneOf",
       "optional",
       "required",
       "requiredUnless",
       "scalarAt",
       "stop",
       "string",
       "text",
       "textAt",
       "textsAt",
       "timestampAt",
       "valueAt",
       "withDefault",
       "withParams",
       "withoutParam",
     ]
    `);
  });
});
