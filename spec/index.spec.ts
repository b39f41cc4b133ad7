import * as headwater from '../src';

describe('the public API', () => {
  it('exports these names', () => {
    expect(Object.keys(headwater).sort()).toMatchInlineSnapshot(`
     [
       "ConfigurationError",
       "FatalError",
       "HeadwaterError",
       "IncompleteError",
       "RetryableError",
       "checkDestinations",
       "createLogger",
       "createSeal",
       "defineConfig",
       "defineSink",
       "deliver",
       "destinationOf",
       "durableSink",
       "extract",
       "fileJournal",
       "flattenIterable",
       "isSealed",
       "ndjson",
       "nextState",
       "operators",
       "parseJson",
       "sinks",
       "stringifyJson",
       "toAsyncIterable",
       "toNodeReadable",
       "toWebReadable",
       "validate",
       "version",
     ]
    `);
  });

  it('exports these operators, each of its own file too', () => {
    expect(Object.keys(headwater.operators).sort()).toMatchInlineSnapshot(`
     [
       "abortable",
       "boundedWindow",
       "checkpoint",
       "createBudget",
       "createDemand",
       "createLimiter",
       "createPace",
       "inFlight",
       "longTimer",
       "mergeInOrder",
       "rateLimit",
       "readAhead",
       "renewing",
       "renewingEachTime",
       "retryHinted",
       "unfoldPages",
       "untilAborted",
     ]
    `);
  });
});
