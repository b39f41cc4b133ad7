/**
 * Stryker's jest runner, made narrow. By itself it loads every spec that imports the mutated file, however indirectly, and leaves out
 * tests by name only: each mutant of an operator would load all specs of operators. This one loads the files whose tests reach the
 * mutant, the quickest first, and none after the one that kills it. It relies on `run` of a class that Stryker does not document,
 * so the version of Stryker is pinned.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { strykerPlugins } from '@stryker-mutator/jest-runner';

/** It lies in the sandbox, which all processes of one run share; a process that replaces another makes no dry run. */
const FILES_OF_TESTS = 'files-of-tests.json';

const [{ factory }] = strykerPlugins;

function narrowRunner(injector) {
  const runner = injector.injectFunction(factory);
  const run = runner.run.bind(runner);
  let testFiles;
  runner.run = (settings) => run(testFiles === undefined ? settings : { ...settings, testFiles });

  const dryRun = runner.dryRun.bind(runner);
  runner.dryRun = async (options) => {
    testFiles = undefined;
    const result = await dryRun(options);
    writeFileSync(FILES_OF_TESTS, JSON.stringify(filesOf(result.tests ?? [])));
    return result;
  };

  const mutantRun = runner.mutantRun.bind(runner);
  runner.mutantRun = async (options) => {
    const files = existsSync(FILES_OF_TESTS) ? JSON.parse(readFileSync(FILES_OF_TESTS, 'utf8')) : [];
    const asked = options.testFilter === undefined ? undefined : new Set(options.testFilter);
    let tests = 0;
    for (const { name, ids } of files) {
      if (asked !== undefined && !ids.some((id) => asked.has(id))) continue;
      testFiles = [name];
      const result = await mutantRun(options);
      if (result.status !== 'survived') return result;
      tests += result.nrOfTests;
    }
    return { status: 'survived', nrOfTests: tests };
  };
  return runner;
}
narrowRunner.inject = ['$injector'];

/** The files of tests with the ids of these, the quickest file first. */
function filesOf(tests) {
  const files = new Map();
  for (const { id, fileName, timeSpentMs } of tests) {
    const file = files.get(fileName) ?? { name: fileName, ids: [], milliseconds: 0 };
    file.ids.push(id);
    file.milliseconds += timeSpentMs;
    files.set(fileName, file);
  }
  return [...files.values()].sort((a, b) => a.milliseconds - b.milliseconds);
}

export const narrow = declareFactoryPlugin(PluginKind.TestRunner, 'narrow', narrowRunner);
