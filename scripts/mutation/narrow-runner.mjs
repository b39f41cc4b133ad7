/**
 * Stryker's jest runner, made narrow. By itself it loads every spec that imports the mutated file, however indirectly, and leaves out
 * tests by name only: each mutant of an operator would load all specs of operators. This one loads the files whose tests reach the
 * mutant, and no other. It relies on `run` of a class that Stryker does not document, so the version of Stryker is pinned.
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
    const files = {};
    for (const { id, fileName } of result.tests ?? []) (files[id] ??= []).push(fileName);
    writeFileSync(FILES_OF_TESTS, JSON.stringify(files));
    return result;
  };

  const mutantRun = runner.mutantRun.bind(runner);
  runner.mutantRun = (options) => {
    const files = existsSync(FILES_OF_TESTS) ? JSON.parse(readFileSync(FILES_OF_TESTS, 'utf8')) : {};
    const reached = options.testFilter?.flatMap((id) => files[id] ?? []);
    testFiles = reached === undefined ? undefined : [...new Set(reached)];
    return mutantRun(options);
  };
  return runner;
}
narrowRunner.inject = ['$injector'];

export const narrow = declareFactoryPlugin(PluginKind.TestRunner, 'narrow', narrowRunner);
