/**
 * A service in the manner of NestJS: while its module lives, it feeds an event emitter from an extraction. When the module
 * is destroyed in the middle, the request under way is aborted, its connections close, and no further event comes.
 */
const { EventEmitter, once } = require('node:events');
const { setTimeout: pause } = require('node:timers/promises');
const { extract } = require('headwater');
const { Subscription } = require('rxjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

/** The levels of an extraction's log, by the methods of a Logger of NestJS. */
const METHODS = { error: 'error', warn: 'warn', info: 'verbose', debug: 'debug' };

/** With NestJS it is `@Injectable()`, and what the constructor wants comes from the container. */
class MeasurementsService {
  #emitter;
  #logger;
  #extraction;
  #run = new Subscription();

  /** Throws a ConfigurationError, with every fault: an application that is set up wrongly does not start. */
  constructor(emitter, logger, config) {
    this.#emitter = emitter;
    this.#logger = logger;
    // Connections of its own close with the run. Those of undici's global dispatcher stay open for whoever comes next.
    this.#extraction = extract(config, {
      ownConnections: true,
      logger: { log: (level, message) => logger[METHODS[level]](message) },
    });
  }

  /** An emitter does not wait for its listeners. For work that takes time, `drain` is the way: it holds the pages back. */
  onModuleInit() {
    this.#logger.log('started');
    this.#run = this.#extraction.items$.subscribe({
      next: (measurement) => this.#emitter.emit('measurement', measurement),
      error: (error) => this.#emitter.emit('measurements.failed', error),
      complete: () => this.#emitter.emit('measurements.complete'),
    });
  }

  onModuleDestroy() {
    this.#run.unsubscribe();
    this.#logger.log('stopped');
  }
}

/** Prints what the service says, and leaves out the log of the extraction but for its warnings. */
const logger = {
  log: (message) => console.log(`[MeasurementsService] ${message}`),
  warn: (message) => console.log(`[MeasurementsService] ${message}`),
  error: (message) => console.log(`[MeasurementsService] ${message}`),
  verbose: () => {},
  debug: () => {},
};

module.exports = withExampleApi('measurements.json', async (config, api) => {
  const emitter = new EventEmitter();
  let received = 0;
  for (const name of ['measurement', 'measurements.failed', 'measurements.complete'])
    emitter.on(name, () => (received += 1));

  const service = new MeasurementsService(emitter, logger, config);
  service.onModuleInit();
  const [{ station, levelCentimetres }] = await once(emitter, 'measurement');
  console.log(`first measurement: ${levelCentimetres} cm at ${station}`);

  // All of the first page has been emitted, and the request for the second one is under way.
  const before = received;
  service.onModuleDestroy();
  while ((await api.connections()) > 0) await pause(5);
  console.log(`connections open: ${await api.connections()}`);
  await pause(50);
  console.log(`events: ${before} before the end, ${received - before} after it`);
});
