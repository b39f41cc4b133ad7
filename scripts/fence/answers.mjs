/** What an API of a case may answer. */

export const json = (value, { status = 200, headers = {} } = {}) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

export const text = (body, type, { status = 200, headers = {} } = {}) => ({
  status,
  headers: { 'content-type': type, ...headers },
  body,
});

/** The connection ends without an answer. */
export const reset = { reset: true };

/** Nothing is ever answered. */
export const silence = { silence: true };

/** A body with neither length nor chunks, whose connection is closed, or reset, before all of it was sent. */
export const unfinished = (body, type, how) => ({ unfinished: how, type, body });

/** `count` items with ids from `first` on. */
export const ids = (first, count, more = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({ id: first + index, ...more(first + index) }));

/** The part of `items` that `limit` and `offset` of the query ask for. */
export const slice = (items, { query }) => {
  const from = Number(query.offset ?? 0);
  return items.slice(from, from + Number(query.limit ?? items.length));
};
