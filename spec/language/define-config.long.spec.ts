import { join } from 'node:path';
import ts from 'typescript';
import { defineConfig, validate } from '../../src';
import { needsBuild, ROOT } from '../support/build';

/** What the compiler says of a program that calls `defineConfig`, and may go on with what it gives, `config`. */
function complaintsAbout(configuration: string, further = ''): readonly string[] {
  const path = join(ROOT, 'spec', 'program.ts');
  const text = `import { defineConfig } from '../src/language/define-config';\nconst config = defineConfig(${configuration});\n${further}\n`;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: [],
    paths: { '#written': [needsBuild('written.d.ts')] },
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version, true) : readSource(name, version);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

const JOBS = 'config: { jobs: [{ endpoint: "items" }] }';
const API = 'baseUrl: "https://api.example.com"';

describe('defineConfig', () => {
  it('gives the configuration back', () => {
    const config = defineConfig({
      api: {
        baseUrl: 'https://api.example.com',
        http: { headers: { 'X-Key': { attr: '#key' } } },
        authentication: { type: 'basic' },
        pagination: { method: 'offset', limit: 100 },
      },
      config: {
        '#key': 'k',
        username: 'u',
        '#password': 'p',
        jobs: [
          {
            endpoint: 'ships',
            params: { since: { function: 'date', args: ['Y-m-d', { time: 'previousStart' }] } },
            children: [{ endpoint: 'ships/{id}/crew', placeholders: { id: 'id' } }],
          },
        ],
        mappings: { ships: { id: { mapping: { destination: 'id', primaryKey: true } }, name: 'name' } },
        incrementalOutput: true,
      },
    });
    expect(validate(config)).toMatchObject({ jobs: 1, warnings: [] });
  });

  it('gives the type of its argument, with its literals', () => {
    const configuration = `{ api: { ${API}, pagination: { method: 'offset', limit: 100 } }, ${JOBS} }`;
    const literals = `const method: 'offset' = config.api.pagination.method; const limit: 100 = config.api.pagination.limit;`;
    expect(complaintsAbout(configuration, `${literals} const at: 'items' = config.config.jobs[0].endpoint;`)).toEqual(
      [],
    );
    expect(complaintsAbout(configuration, `const method: 'pagenum' = config.api.pagination.method;`)).toHaveLength(1);
    expect(complaintsAbout(configuration, `config.api.authentication;`)).toHaveLength(1);
  });

  it('takes a configuration whose type is not known in detail', () => {
    const made = `import type { Configuration } from '#written'; const make = (config: Configuration): Configuration => defineConfig(config);`;
    expect(complaintsAbout(`{ api: { ${API} }, ${JOBS} }`, made)).toEqual([]);
    const named = `const url: string = 'https://api.example.com'; defineConfig({ api: { baseUrl: url }, ${JOBS} });`;
    expect(complaintsAbout(`{ api: { ${API} }, ${JOBS} }`, named)).toEqual([]);
  });

  it('takes what is right', () => {
    expect(complaintsAbout(`{ api: { ${API}, pagination: { method: 'pagenum' } }, ${JOBS} }`)).toEqual([]);
  });

  it.each([
    ['a misspelled key', `{ api: { baseUrL: 'https://api.example.com' }, ${JOBS} }`, /baseUrL/],
    ['a misspelled optional key', `{ api: { ${API}, pagniation: {} }, ${JOBS} }`, /pagniation/],
    ['a method that there is not', `{ api: { ${API}, pagination: { method: 'ofset' } }, ${JOBS} }`, /ofset/],
    ['an option that is missing', `{ api: { ${API}, pagination: { method: 'offset' } }, ${JOBS} }`, /limit/],
    [
      'an option of another method',
      `{ api: { ${API}, pagination: { method: 'pagenum', urlKey: 'x' } }, ${JOBS} }`,
      /urlKey/,
    ],
    ['a string for a number', `{ api: { ${API}, http: { maxRequests: 'many' } }, ${JOBS} }`, /string/],
    ['a misspelled key of a job', `{ api: { ${API} }, config: { jobs: [{ endpoint: 'a', parms: {} }] } }`, /parms/],
    [
      'a misspelled key of a child',
      `{ api: { ${API} }, config: { jobs: [{ endpoint: 'a', children: [{ endpoint: 'b/{id}', placeholdrs: { id: 'id' } }] }] } }`,
      /placeholdrs/,
    ],
    ['no jobs', `{ api: { ${API} }, config: {} }`, /jobs/],
  ])('does not compile with %s', (_, configuration, complaint) => {
    expect(complaintsAbout(configuration).join('\n')).toMatch(complaint);
  });
});
