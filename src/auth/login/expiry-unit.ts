const SHORTEST = 60_000;
/** More is no time that anybody would name in milliseconds: 31 years as a lifetime, the year 5138 as a moment. */
const LONGEST = 1e12;
const LATEST = 1e14;
const DAY = 86_400;
/** 366 days. */
const YEAR = 366 * DAY;

/**
 * Whether a lifetime in seconds is likely to be one in milliseconds: a minute or more, in whole thousands, that no person
 * would choose in seconds, since it is neither whole days nor below a year. 900000 is a quarter of an hour in
 * milliseconds, and ten days and ten hours in seconds; 2592000 is 30 days.
 */
export const looksLikeMilliseconds = (lifetime: number): boolean =>
  lifetime >= SHORTEST && lifetime <= LONGEST && lifetime % 1000 === 0 && (lifetime % DAY !== 0 || lifetime > YEAR);

/** Whether a Unix time in seconds is likely to be one in milliseconds: from 1973 on if it is, else from 5138 on. */
export const isUnixMilliseconds = (time: number): boolean => time >= 1e11 && time < LATEST;
