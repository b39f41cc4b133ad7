/** How the example API cuts its collections into pages: one way for each way of paging that APIs have. */
const network = require('./river-network.cjs');

const PAGE = 4;

const numberFrom = (url, name, otherwise) => {
  const value = Number(url.searchParams.get(name) ?? otherwise);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
};

/** The records whose fields equal the query parameters of the same names. */
const matching = (records, url, ...names) =>
  records.filter((record) => names.every((name) => [null, record[name]].includes(url.searchParams.get(name))));

/** By `limit` and `offset`. */
const byOffset = (key, records, url) => {
  const offset = numberFrom(url, 'offset', 0);
  return { [key]: records.slice(offset, offset + numberFrom(url, 'limit', PAGE)), total: records.length };
};

/** By the address of the next page, an absolute URL that repeats what was asked. */
const byLink = (key, records, url) => {
  const after = numberFrom(url, 'after', 0);
  const next = new URL(url);
  next.searchParams.set('after', after + PAGE);
  const links = { self: url.href, next: after + PAGE < records.length ? next.href : null };
  return { [key]: records.slice(after, after + PAGE), links };
};

/** By a query for the same address, which names the page and nothing else: the client repeats what it asks for. */
const byQuery = (key, records, url) => {
  const page = numberFrom(url, 'page', 1);
  const more = page * PAGE < records.length;
  return { [key]: records.slice((page - 1) * PAGE, page * PAGE), next_page: more ? `?page=${page + 1}` : '' };
};

/** By a path that continues the address of the collection: `surveys`, `surveys/page/2`, … */
const byPath = (key, records, page) => {
  const more = page * PAGE < records.length;
  return { [key]: records.slice((page - 1) * PAGE, page * PAGE), ...(more ? { next: `page/${page + 1}` } : {}) };
};

/** The measurements at a time or later, of one station where it is named. */
const measured = (measurements, url) =>
  matching(measurements, url, 'station').filter(({ time }) => time >= (url.searchParams.get('since') ?? ''));

/** The collections of one API; who starts another has its own. */
function createPages() {
  const measurements = [...network.measurements];

  /** The page of a collection that an address names; `undefined` when there is no such collection. */
  const at = (url) => {
    const [, collection, page = '1'] = /^\/v1\/([a-z]+)(?:\/page\/(\d+))?$/.exec(url.pathname) ?? [];
    switch (collection) {
      case 'rivers':
        return byOffset('rivers', network.rivers, url);
      case 'stations':
        return byOffset('stations', matching(network.stations, url, 'river'), url);
      case 'measurements':
        return byLink('measurements', measured(measurements, url), url);
      case 'bulletins':
        return byQuery('bulletins', matching(network.bulletins, url, 'level'), url);
      case 'surveys':
        return byPath('surveys', network.surveys, Number(page));
      default:
        return undefined;
    }
  };

  const addMeasurement = ({ station, time, levelCentimetres }) => {
    const measurement = { station, time, levelCentimetres };
    measurements.push(measurement);
    return measurement;
  };

  return { at, addMeasurement };
}

module.exports = { createPages };
