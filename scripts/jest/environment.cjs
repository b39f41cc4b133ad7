const { TestEnvironment } = require('jest-environment-node');
const { createLoader } = require('./loader.cjs');

/** The first environment of this process: its context, and the modules that have been loaded into it, serve all specs. */
let first;

/** Globals that a spec may put something in place of, and which a context makes when they are first read. */
const CLOCKS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];

/** Takes the globals of a context as they are; the function puts them back. */
function globalsOf(global) {
  for (const name of [...CLOCKS, 'queueMicrotask', 'performance', 'fetch']) void global[name];
  const before = new Map(Reflect.ownKeys(global).map((key) => [key, Reflect.getOwnPropertyDescriptor(global, key)]));
  return () => {
    for (const key of Reflect.ownKeys(global)) {
      const was = before.get(key);
      if (was === undefined) Reflect.deleteProperty(global, key);
      // One with a getter has been read in the meantime, and is what it was.
      else if ('value' in was && was.configurable && global[key] !== was.value)
        Reflect.defineProperty(global, key, was);
    }
  };
}

/** Gives the process of a context the variables that this one has now, and takes its listeners as they are; the function puts these back. */
function processOf({ process: own }) {
  for (const name of Object.keys(own.env)) delete own.env[name];
  Object.assign(own.env, process.env);
  const events = new Map(own.eventNames().map((name) => [name, own.rawListeners(name)]));
  return () => {
    for (const name of own.eventNames())
      for (const listener of own.rawListeners(name))
        if (events.get(name)?.includes(listener) !== true) own.removeListener(name, listener);
  };
}

/**
 * The environment of a spec. Jest gives each spec a context and modules of its own, and to load those of src and of the packages took longer
 * than most specs: here, the specs of a process share one context, in which each of these modules is run once. Specs and what they
 * import from spec are run for each; so are modules of src in a class of environments that `hasOwnModules`. Globals, spies
 * and clocks are as before behind each; variables of the environment are those of the process, taken again: a mutant is told by one.
 */
module.exports = class {
  constructor(settings, context) {
    const options = settings.projectConfig.testEnvironmentOptions;
    if (first === undefined) {
      const { context: vm, global, moduleMocker, fakeTimersModern } = new TestEnvironment(settings, context);
      first = { vm, global, Mocker: moduleMocker.constructor, Clock: fakeTimersModern.constructor };
      first.packages = new Map();
      first.loader = createLoader(vm, options, first.packages);
    }
    const { vm, global, Mocker, Clock, loader } = first;
    this.context = vm;
    this.global = global;
    this.restore = [globalsOf(global), processOf(global)];
    this.moduleMocker = new Mocker(global);
    this.fakeTimers = null;
    this.fakeTimersModern = new Clock({ config: settings.projectConfig, global });
    const isOwn = new.target.hasOwnModules === true;
    let isFirst = true;
    // `jest.isolateModules` asks a second time: it wants modules of its own.
    global.takeLoader = () => {
      const isIsolated = !isFirst;
      isFirst = false;
      if (isIsolated) return createLoader(vm, options);
      return isOwn ? createLoader(vm, options, first.packages) : loader;
    };
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const restore of this.restore) restore();
    this.context = null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.context;
  }
};
