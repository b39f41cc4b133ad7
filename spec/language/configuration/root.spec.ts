import { accepted, configuration, faults, warnings } from './support';

describe('the root', () => {
  it('language 1.2: reads the wrapped and the bare form alike', () => {
    const beside = { iterations: [{}], cache: true };
    const wrapped = { parameters: configuration({}, {}, beside), image_parameters: { allowed_hosts: [{ host: 'h' }] } };
    const bare = configuration({}, {}, { ...beside, image_parameters: { allowed_hosts: [{ host: 'h' }] } });
    expect(accepted(wrapped)).toEqual(accepted(bare));
    expect(accepted(bare)).toMatchObject({
      cache: { ttlSeconds: 604_800 },
      requestableHosts: [{ host: 'h' }],
      warnings: [],
    });
  });

  it('language 1.2: paths have no prefix in the wrapped form', () => {
    const wrapped = { parameters: configuration({ baseUrl: 'ftp://h' }) };
    expect(faults(wrapped)).toEqual(faults(configuration({ baseUrl: 'ftp://h' })));
    expect(faults(wrapped)[0]).toMatch(/^api\.baseUrl: expected a valid URL/);
  });

  it.each([undefined, null, {}, [], '', 0, false])(
    'language 1.2: api and config are required; %j is absent',
    (blank) => {
      expect(faults({ api: blank, config: blank })).toEqual([
        'api: required: the "api" section, which describes the remote API',
        'config: required: the "config" section, which says what to extract',
      ]);
    },
  );

  it('language 1.2: faults of one section are reported when the other is missing', () => {
    expect(faults({ config: { jobs: [{}] } })).toEqual([
      'config.jobs[0].endpoint: required: the path or URL that the job requests',
      'api: required: the "api" section, which describes the remote API',
    ]);
  });

  it('language 1.2: sections must be objects', () => {
    expect(faults({ parameters: 'x' })).toEqual(['parameters: expected an object, found a string of 1 character']);
    expect(faults({ api: 'x', config: 5 })).toEqual([
      'api: expected an object, found a string of 1 character',
      'config: expected an object, found 5',
    ]);
  });

  it.each([undefined, null, '', 'run'])('language 1.2: action %j runs', (action) => {
    expect(faults(configuration({}, {}, { action }))).toEqual([]);
  });

  it('language 1.2: refuses other actions', () => {
    expect(faults(configuration({}, {}, { action: 'getKeys' }))).toEqual([
      'action: expected one of run, found a string of 7 characters',
    ]);
  });

  it('language 1.2: warns about unknown keys, and about keys on the wrong side of "parameters"', () => {
    expect(warnings(configuration({}, {}, { processors: {}, iteration: [] }))).toEqual([
      'processors: has no effect: unknown key',
      'iteration: has no effect: unknown key; did you mean "iterations"?',
    ]);
    const wrapped = { parameters: { ...configuration(), action: 'run' }, cache: true };
    expect(warnings(wrapped)).toEqual([
      'action: has no effect here; it belongs beside "parameters"',
      'cache: has no effect here; it belongs inside "parameters"',
    ]);
  });
});
