import * as components from '../src/components';

describe('headwater/components', () => {
  it('exports these names', () => {
    expect(Object.keys(components).sort()).toMatchInlineSnapshot(`
     [
       "ScriptError",
       "Unreadable",
       "always",
       "andThen",
       "collect",
       "defineAuthentication",
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
       "invalid",
       "list",
       "mapValid",
       "numeric",
       "object",
       "oneOf",
       "optional",
       "perRequest",
       "required",
       "requiredUnless",
       "scalarAt",
       "stop",
       "string",
       "text",
       "textAt",
       "textsAt",
       "timestampAt",
       "valid",
       "valueAt",
       "withDefault",
       "withParams",
       "withoutParam",
     ]
    `);
  });
});
