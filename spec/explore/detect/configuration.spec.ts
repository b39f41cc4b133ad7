import { nameOfJob } from '../../../src/explore/detect/configuration';

describe('nameOfJob', () => {
  it.each([
    ['v1/buckets/eco/collections/stations/records', 'stations_records'],
    ['v1/buckets/eco/collections/readings/records', 'readings_records'],
    ['api/collections/ships/records/', 'ships_records'],
    ['orders/7/items', 'orders_items'],
    ['datasets/550e8400-e29b-41d4-a716-446655440000/rows.json', 'datasets_rows'],
    ['eco/data/records', 'eco_records'],
    ['_search/docs', 'docs'],
    ['v1/items', 'items'],
    ['data/readings.json', 'readings'],
    ['data/items', 'items'],
    ['users/search', 'users'],
    ['users/all', 'users'],
    ['rest/api/2/search', 'search'],
    ['ships', 'ships'],
    ['ships/_all_docs', 'ships'],
    ['2024', 'items_2024'],
    ['', 'items'],
  ])('calls the table of /%s %s', (path, name) => {
    expect(nameOfJob(`https://h.example/${path}`)).toBe(name);
  });
});
