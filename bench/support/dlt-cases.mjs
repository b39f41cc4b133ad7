// What dlt and headwater are compared by, in the spelling of the API.

/** A response with all that is common. */
export const ORDERS = `[
  { "id": 1, "name": "Ann", "active": true, "price": 12.5, "day": "2024-02-29", "at": "2024-02-29T10:00:00Z",
    "local": "2024-02-29T10:00:00", "zip": "01234", "note": null, "total": 9007199254740993,
    "address": { "city": "Bern", "geo": { "lat": 46.95 } },
    "lines": [{ "sku": "a", "taxes": [1.5, 2] }, { "sku": "a", "taxes": [1.5, 2] }],
    "tags": ["x", "x", null], "matrix": [[1, 2], [3]] },
  { "id": 2, "name": "Bo", "active": false, "price": 3, "day": "2024-03-01", "at": "2024-03-01T10:00:00Z",
    "local": "2024-03-01T10:00:00", "zip": "56789", "note": null, "total": 5,
    "address": null, "lines": [], "tags": [], "matrix": [] }
]`;

/** What it is, and the responses of one run, or of two that follow each other. */
export const CASES = [
  ['a price with many digits', '[{ "v": 12345678901234567.25 }]'],
  ['digits that no double has', '[{ "v": 0.1000000000000000055511151231257827 }]'],
  ['an integer of 64 bits', '[{ "v": 9007199254740993 }]'],
  ['an integer of 20 digits', '[{ "v": 12345678901234567890 }]'],
  ['an integer of 40 digits', '[{ "v": 1234567890123456789012345678901234567890 }]'],
  ['`1e300`', '[{ "v": 1e300 }]'],
  ['an integer, then a fraction', '[{ "v": 1 }, { "v": 2.5 }]'],
  ['an integer, then a fraction in the next run', '[{ "v": 1 }]', '[{ "v": 2.5 }]'],
  ['an integer, then a string in the next run', '[{ "v": 1 }]', '[{ "v": "many" }]'],
  ['a date', '[{ "v": "2024-02-29" }]'],
  ['a time with microseconds and a zone', '[{ "v": "2024-02-29T10:00:00.123456+02:00" }]'],
  ['a time without a zone', '[{ "v": "2024-02-29T10:00:00" }]'],
  ['a time, then a string', '[{ "v": "2024-02-29T10:00:00Z" }, { "v": "unknown" }]'],
  ['a string that looks like a number', '[{ "v": "0123" }]'],
  ['nothing but null', '[{ "id": 1, "v": null }]'],
  ['null, then an integer in the next run', '[{ "id": 1, "v": null }]', '[{ "id": 2, "v": 5 }]'],
  ['a string where others have an object', '[{ "v": { "a": 1 } }, { "v": "alone" }]'],
  ['a string where others have a list', '[{ "v": ["a"] }, { "v": "alone" }]'],
  ['null in a list', '[{ "v": [1, null, 3] }]'],
  ['keys that differ in case', '[{ "size": 1, "Size": 2 }]'],
  ['keys that meet', '[{ "a": { "b": 1 }, "a_b": 2, "a__b": 3 }]'],
  ['a key with a blank, and one in camel case', '[{ "unit price": 1, "unitPrice": 2 }]'],
];
