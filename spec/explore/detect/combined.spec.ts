import { combined, type FoundJob } from '../../../src/explore/detect/combined';
import type { JsonObject } from '../../../src/core/model';

const PAGENUM: JsonObject = { method: 'pagenum', pageParam: 'page', firstPage: 1 };
const OFFSET: JsonObject = { method: 'offset', limit: 10 };

/** A job that was found by itself. */
function job(
  dataType: string,
  {
    api = {},
    config = {},
    ...more
  }: Partial<FoundJob> & { readonly api?: JsonObject; readonly config?: JsonObject } = {},
): FoundJob {
  const baseUrl = 'https://h.example/v1/';
  return {
    ...{ dataType, comments: {}, notes: [], children: [] },
    configuration: { api: { baseUrl, ...api }, config: { ...config, jobs: [{ endpoint: dataType, dataType }] } },
    ...more,
  };
}

describe('combined', () => {
  it('writes the base URL that all addresses have, and endpoints below it', () => {
    const { configuration } = combined([
      job('ships'),
      job('crew', { address: 'https://h.example/v2/crew' }),
      job('old', { address: 'https://h.example/old' }),
    ]);
    expect(configuration).toEqual({
      api: { baseUrl: 'https://h.example/' },
      config: {
        jobs: [
          { endpoint: 'v1/ships', dataType: 'ships' },
          { endpoint: 'v2/crew', dataType: 'crew' },
          { endpoint: 'old', dataType: 'old' },
        ],
      },
    });
  });

  it('writes paging once where it is that of all, and no scrollers', () => {
    const { configuration } = combined([
      job('a', { api: { pagination: PAGENUM } }),
      job('b', { api: { pagination: PAGENUM } }),
    ]);
    expect(configuration).toMatchObject({
      api: { pagination: PAGENUM },
      config: { jobs: [{ dataType: 'a' }, { dataType: 'b' }] },
    });
    expect(JSON.stringify(configuration)).not.toContain('scroller');
  });

  it('lets jobs choose paging by name where it differs, and one without paging none', () => {
    const other = { ...PAGENUM, firstPage: 0 };
    const { configuration } = combined([
      job('a', { api: { pagination: PAGENUM } }),
      job('b', { api: { pagination: OFFSET } }),
      job('c', { api: { pagination: other } }),
      job('d', { api: { pagination: OFFSET } }),
      job('e'),
    ]);
    expect(configuration).toEqual({
      api: {
        baseUrl: 'https://h.example/v1/',
        pagination: { method: 'multiple', scrollers: { pagenum: PAGENUM, offset: OFFSET, pagenum_2: other } },
      },
      config: {
        jobs: [
          { endpoint: 'a', dataType: 'a', scroller: 'pagenum' },
          { endpoint: 'b', dataType: 'b', scroller: 'offset' },
          { endpoint: 'c', dataType: 'c', scroller: 'pagenum_2' },
          { endpoint: 'd', dataType: 'd', scroller: 'offset' },
          { endpoint: 'e', dataType: 'e' },
        ],
      },
    });
  });

  it('puts children into their parents, with their placeholders, paging and keys', () => {
    const crew = job('crew', {
      api: { pagination: OFFSET },
      config: { primaryKeys: { crew: ['parent_id', 'id'] } },
      address: 'https://h.example/v1/ships/{ship_id}/crew',
      placeholders: { ship_id: 'id' },
      comments: { 'config/primaryKeys': ['Why.'] },
      notes: ['Called for each ship.'],
    });
    const ships = job('ships', { children: [crew], config: { primaryKeys: { ships: ['id'] } } });
    const { configuration, comments } = combined([ships]);
    expect(configuration['config']).toEqual({
      jobs: [
        {
          endpoint: 'ships',
          dataType: 'ships',
          children: [
            { endpoint: 'ships/{ship_id}/crew', placeholders: { ship_id: 'id' }, dataType: 'crew', scroller: 'offset' },
          ],
        },
      ],
      primaryKeys: { crew: ['parent_id', 'id'], ships: ['id'] },
    });
    expect(comments).toMatchObject({
      'config/primaryKeys/crew': ['Why.'],
      'config/jobs/0/children/0/endpoint': ['Called for each ship.'],
    });
  });

  it('says comments of shared paging once for each table, with the mark in front', () => {
    const comments = { 'api/pagination': ['UNSURE: Nothing counts.'], 'config/jobs/0/dataField': ['An array.'] };
    const reported = combined([
      job('a', { api: { pagination: PAGENUM }, comments }),
      job('b', { api: { pagination: PAGENUM }, comments }),
    ]).comments;
    expect(reported['api/pagination']).toEqual(['UNSURE: a: Nothing counts.', 'UNSURE: b: Nothing counts.']);
    expect(reported['config/jobs/1/dataField']).toEqual(['An array.']);
  });

  it('keeps the credentials and headers of the first list, and says where others differ', () => {
    const bearer = { type: 'bearer', token: { env: 'API_TOKEN' } };
    const { configuration, warnings } = combined([
      job('a', { api: { authentication: bearer, http: { headers: { region: 'north' } } } }),
      job('b', {
        api: { authentication: { type: 'basic' }, http: { headers: { region: 'south' } } },
        config: { username: 'me' },
      }),
    ]);
    expect(configuration).toMatchObject({
      api: { authentication: bearer, http: { headers: { region: 'north' } } },
      config: { username: 'me' },
    });
    expect(warnings).toEqual([
      'The lists want different credentials: those of the first one are written.',
      'The requests of the lists carry different headers: those of the first one are written.',
    ]);
    expect(
      combined([job('a', { api: { authentication: bearer } }), job('b', { api: { authentication: bearer } })]).warnings,
    ).toEqual([]);
  });
});
