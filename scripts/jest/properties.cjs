/** How many random cases a property is tried with that does not say it itself: few in `npm test`, many in `npm run test:all`. */
const fc = require('fast-check');

fc.configureGlobal({ numRuns: process.env.HEADWATER_CASES === 'all' ? 1000 : 25 });
