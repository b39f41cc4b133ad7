/** A database promises no order of rows: they are compared in the order of their texts. */
export const ordered = (rows) => [...rows].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
