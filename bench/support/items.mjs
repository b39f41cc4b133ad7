// The items of the benchmarks, about 270 bytes each: what the server sends and what every output must hold.

/** The item of a number; items of different numbers differ. */
export function itemAt(number) {
  return {
    id: number,
    name: `Gauge at kilometre ${number % 1000}`,
    river: 'The long river of the north',
    // Never a whole number: some readers take the type of a column from its first value.
    level: ((number % 1000) + 0.25) / 7,
    active: number % 2 === 0,
    measured: '2021-06-16T09:30:15Z',
    note: 'Read by hand at noon, checked against the neighbours up and down the river',
    tags: ['alpha', 'beta', 'gamma'],
  };
}

/** The items of the numbers `first` to `first + count - 1`. */
export const itemsFrom = (first, count) => Array.from({ length: count }, (_, at) => itemAt(first + at));

/** Pages that the server holds ready; of longer listings these come again and again. */
export const PREPARED = 1000;
