const { TestEnvironment } = require('jest-environment-node');
const { fileOf, scriptOf } = require('./scripts.cjs');

/**
 * The environment of a spec. Each spec has modules of its own, and compiling those of src for each took longer than most specs: they are
 * compiled once in a process, and only run in each environment. Its `sourceModules` is what load.cjs needs for that.
 */
module.exports = class extends TestEnvironment {
  constructor(settings, context) {
    super(settings, context);
    const options = settings.projectConfig.testEnvironmentOptions;
    this.global.sourceModules = {
      fileOf,
      functionOf: (path) => scriptOf(path, options).runInContext(this.getVmContext()),
    };
  }
};
