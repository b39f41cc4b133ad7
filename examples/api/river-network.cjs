/** The data of the example API: an invented network of river gauges. Everything is the same on each start. */

const rivers = [
  { id: 'ALD', name: 'Alder Brook', kilometres: 41.5 },
  { id: 'MAR', name: 'Marl', kilometres: 118 },
  { id: 'SAL', name: 'Sallow', kilometres: 263.25 },
];

const places = {
  ALD: ['Mill Weir', 'Old Bridge', 'Cress Beds'],
  MAR: ['Upper Ford', 'Tannery', 'Stone Quay', 'Ferry Lane', 'Estuary Lock'],
  SAL: ['Spring Hill', 'Heron Reach', 'Kiln Bend', 'Long Meadow', 'Harbour'],
};

const twoDigits = (n) => String(n).padStart(2, '0');

/** Serial numbers of sensors are 64-bit integers, beyond what a JavaScript number can hold. */
const FIRST_SENSOR = 9007199254740993n;

const stations = rivers
  .flatMap((river) => places[river.id].map((name, at) => ({ id: `${river.id}-${twoDigits(at + 1)}`, name, river })))
  .map(({ id, name, river }, at) => ({ id, name, river: river.id, sensor: FIRST_SENSOR + BigInt(at) }));

const measurements = stations.flatMap(({ id: station }, at) =>
  [6, 12, 18].map((hour) => ({
    station,
    time: `2025-03-01T${twoDigits(hour)}:00:00Z`,
    levelCentimetres: 80 + 7 * at + hour / 4,
  })),
);

const bulletins = Array.from({ length: 14 }, (_, at) => ({
  number: at + 1,
  river: rivers[at % rivers.length].id,
  level: at % 2 === 0 ? 'watch' : 'warning',
}));

const surveys = stations.slice(0, 7).map(({ id: station }, at) => ({ station, day: `2024-06-${twoDigits(at + 1)}` }));

/** Who may log in. */
const users = [
  { id: 17, name: 'reader', password: 'trout-and-tide' },
  { id: 18, name: 'alder', password: 'alder-and-tide' },
  { id: 19, name: 'marl', password: 'marl-and-tide' },
];

module.exports = { rivers, stations, measurements, bulletins, surveys, users };
