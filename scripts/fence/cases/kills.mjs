/**
 * The command is killed when the API has got a certain request, and called again with `--resume`. The API waits a moment
 * before, so that all pages that it has answered are safe: then what the second call asks for is always the same.
 */
import { ids, json, slice } from '../answers.mjs';
import { KILLED } from '../columns.mjs';

const resumed = { options: ['--resume'] };

const children = {
  api: { pagination: { method: 'offset', limit: 2 } },
  config: {
    jobs: [
      {
        endpoint: 'rivers',
        children: [{ endpoint: 'rivers/{id}/stations', dataType: 'stations', placeholders: { id: 'id' } }],
      },
    ],
  },
};

const ofChildren = (request) =>
  json(slice(request.path === '/rivers' ? ids(1, 4) : ids(Number(request.path.split('/')[2]) * 10, 3), request));

export const kills = [
  {
    name: 'kill-offset',
    config: { api: { pagination: { method: 'offset', limit: 2 } }, config: { jobs: [{ endpoint: 'ships' }] } },
    runs: [{ killAt: 4 }, resumed],
    answer: (request) => json(slice(ids(1, 9), request)),
    to: KILLED,
  },
  {
    name: 'kill-twice',
    config: { api: { pagination: { method: 'offset', limit: 2 } }, config: { jobs: [{ endpoint: 'ships' }] } },
    runs: [{ killAt: 2 }, { ...resumed, killAt: 3 }, resumed],
    answer: (request) => json(slice(ids(1, 9), request)),
    to: ['ndjson', 'csv', 'duckdb'],
  },
  {
    name: 'kill-children',
    config: children,
    runs: [{ killAt: 6 }, resumed],
    answer: ofChildren,
    to: KILLED,
  },
  {
    name: 'kill-merge',
    config: {
      api: { pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'ships', load: 'merge', primaryKey: 'id' }] },
    },
    // The first run is whole: its rows have to be there, unchanged, until the last one is over.
    runs: [{}, { killAt: 3 }, resumed],
    answer: (request) =>
      json(
        slice(
          ids(request.run === 0 ? 1 : 3, 5, () => ({ of: request.run === 0 ? 0 : 1 })),
          request,
        ),
      ),
    to: KILLED,
  },
  {
    name: 'kill-dropped',
    // Without --resume, what the run before had is dropped, with a warning.
    config: { api: { pagination: { method: 'offset', limit: 2 } }, config: { jobs: [{ endpoint: 'ships' }] } },
    runs: [{ killAt: 3 }, {}],
    answer: (request) => json(slice(ids(1, 5), request)),
    to: ['ndjson', 'duckdb'],
  },
  {
    name: 'run-id',
    config: { api: { pagination: { method: 'offset', limit: 2 } }, config: { jobs: [{ endpoint: 'ships' }] } },
    options: ['--run-id', 'june'],
    // Interrupted, gone on with, and called once more when it is committed.
    runs: [{ killAt: 3 }, {}, {}],
    answer: (request) => json(slice(ids(1, 5), request)),
    to: ['ndjson', 'csv', 'duckdb', 'sqlite'],
  },
];
