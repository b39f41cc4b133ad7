/** All cases of the fence, in the order in which they run. */
import { authentications } from './cases/authentications.mjs';
import { defects } from './cases/defects.mjs';
import { failures } from './cases/failures.mjs';
import { formats } from './cases/formats.mjs';
import { incrementalCases } from './cases/incremental.mjs';
import { jobs } from './cases/jobs.mjs';
import { kills } from './cases/kills.mjs';
import { paginations } from './cases/paginations.mjs';
import { tables } from './cases/tables.mjs';

export const cases = [
  ...paginations,
  ...authentications,
  ...jobs,
  ...formats,
  ...tables,
  ...incrementalCases,
  ...failures,
  ...kills,
  ...defects,
];

const names = cases.map(({ name }) => name);
const twice = names.filter((name, index) => names.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`Two cases have one name: ${twice.join(', ')}`);
