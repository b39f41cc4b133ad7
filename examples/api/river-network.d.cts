type Records = readonly Readonly<Record<string, string | number | bigint>>[];

export const rivers: Records;
export const stations: Records;
export const measurements: Records;
export const bulletins: Records;
export const surveys: Records;
