/** The subcommands that look: at what a run would do, and at what was loaded. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { components, envFile, lenient, positiveInteger } from './options';
import type { DoctorFlags } from './doctor-command';
import type { PlanFlags } from './plan-command';
import type { PreviewFlags } from './preview-command';
import type { QueryFlags } from './query-command';
import type { TestFlags } from './test-command';

const FILE = 'a file of DuckDB, SQLite, Parquet, CSV or NDJSON, or a folder of such files';
const CONFIG = 'configuration file, or - for standard input';
const CONFIGS = 'configuration files, or - for standard input';

/** @param done gets the exit status */
export function addLookingCommands(command: Command, done: (status: number) => void): void {
  command
    .command('preview')
    .description('request one page of each job and show what came; nothing is stored')
    .argument('<config...>', CONFIGS)
    .option('--job <name>', 'only this job, and those above it')
    .option('--pages <pages>', 'pages of each job', positiveInteger, 1)
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .option('--state <file>', 'what the last run left; logins that are to be kept are kept there')
    .option('--replay <file>', 'request nothing: take the responses from what run --record kept')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (paths: readonly string[], flags: PreviewFlags) =>
      done(await (await import('./preview-command.js')).previewCommand(paths, flags)),
    );
  command
    .command('plan')
    .description('print the requests that a run would send, as far as they are known, without sending any')
    .argument('<config...>', CONFIGS)
    .option('--curl', 'as curl commands, with secrets in shell variables', false)
    .addOption(new Option('--format <format>', 'how to print them').choices(['text', 'json']).default('text'))
    .option('--state <file>', 'what the last run left')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (paths: readonly string[], flags: PlanFlags) =>
      done(await (await import('./plan-command.js')).planCommand(paths, flags)),
    );
  command
    .command('test')
    .description('replay a recording and compare what comes out with what was accepted before; nothing is requested')
    .argument('<config...>', CONFIGS)
    .option('--recording <file>', 'what run --record kept (default: CONFIG with .har)')
    .option('--expected <file>', 'what was accepted (default: the recording with .expected.json)')
    .option('--update', 'accept what comes out now', false)
    .addOption(new Option('--format <format>', 'how to print differences').choices(['text', 'json']).default('text'))
    .option('--state <file>', 'what the run before the recorded one left; it is not written')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (paths: readonly string[], flags: TestFlags) =>
      done(await (await import('./test-command.js')).testCommand(paths, flags)),
    );
  command
    .command('doctor')
    .description('check this machine and, with a configuration, what its run would need; exit status 1 for faults')
    .argument('[config]', CONFIG)
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .option('--state <file>', 'the file that runs keep their state in')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (path: string | undefined, flags: DoctorFlags) =>
      done(await (await import('./doctor-command.js')).doctorCommand(path, flags)),
    );
  command
    .command('query')
    .description('ask what was loaded in SQL; without a statement, list the tables')
    .argument('<file>', FILE)
    .argument('[sql]', 'one statement that reads')
    .option('--summary', 'what is in each column of each table', false)
    .addOption(
      new Option('--format <format>', 'how to print the rows')
        .choices(['table', 'json', 'csv', 'ndjson'])
        .default('table'),
    )
    .action(async (path: string, sql: string | undefined, flags: QueryFlags) =>
      done(await (await import('./query-command.js')).queryCommand(path, sql, flags)),
    );
}
