import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander';
import { version } from '..';
import type { ManifestFlags } from './translation';
import type { AirbyteCommand, AirbyteFlags } from './airbyte-command';
import type { Shell } from './completion-command';
import type { PlaceFlags } from './cluster-place';
import type { RunsFlags, TuneFlags } from './cluster-runs-command';
import type { ComponentFlags } from './component-command';
import type { DoctorFlags } from './doctor-command';
import type { ExplainFlags } from './explain-command';
import type { InitFlags } from './init-command';
import type { LoginFlags } from './login-command';
import { hasEffect } from './probe-flags';
import type { Aspect, ProbeFlags } from './probe-flags';
import type { QueryFlags } from './query-command';
import { PROGRESS_MODES, STATE_FORMATS } from './run/flags';
import type { RunFlags } from './run/flags';
import type { SchemaFlags } from './schema-command';
import type { StudioFlags } from './studio-command';
import type { SubmitFlags } from './submit-command';
import { EXAMPLES } from './examples';
import type { TestFlags } from './test-command';
import type { WorkerFlags } from './worker-command';

const DESTINATIONS =
  'duckdb:FILE, sqlite:FILE, csv:FOLDER, parquet:FOLDER, ndjson:FOLDER, ndjson:-, postgres://…, nats://…; repeatable';

const CONFIG = 'a YAML, JSON or TypeScript file; - is standard input';
const CONFIGS = 'YAML, JSON or TypeScript files; - is standard input';

/** Returns the command line, whose subcommands have one file each. `done` is called with the exit status. */
export function program(done: (status: number) => void): Command {
  const command = new Command('headwater')
    .description('Turns any HTTP API into a stream: a configuration in, the data out.')
    .version(version, '-V, --version')
    .showHelpAfterError('(headwater --help shows what there is)')
    .configureHelp({
      subcommandTerm: (each) => [each.name(), ...each.aliases()].join('|'),
      visibleCommands: ({ commands }) => [...commands],
      optionDescription: shortDescription,
      formatHelp: (each, help) => beginningWithPurpose(Help.prototype.formatHelp.call(help, each, help)),
    })
    .commandsGroup('Begin and run:');
  command
    .command('run')
    .description('run a configuration: print the items, or store them')
    .argument('<config...>', CONFIGS)
    .option('--to <destination>', DESTINATIONS, collected)
    .option('--resume', 'resume the interrupted run, if there is one', false)
    .option('--state <file>', 'what one run leaves for the next one')
    .addOption(new Option('--state-format <format>', 'its format').choices(STATE_FORMATS))
    .option('--run-id <id>', 'commit this run once, however often it is called')
    .option('--concurrency <jobs>', 'jobs at once (default: config.concurrency)', positiveInteger)
    .option('--prefetch <pages>', 'pages that may wait (default: config.prefetch)', integer)
    .addOption(new Option('--nested <how>', 'objects and lists in items').choices(['tables', 'json', 'struct']))
    .option('--tag', 'print {"dataType":…,"item":…} for each item', false)
    .option('--tag-extra', 'the same with "extra":{…}, such as parent_id', false)
    .addOption(withRunColumns())
    .addOption(allowEmpty())
    .addOption(acceptIncomplete())
    .addOption(takeOver())
    .addOption(lenient())
    .addOption(strict())
    .addOption(envFile())
    .addOption(components())
    .addOption(sourceConfig())
    .addOption(sourceStreams())
    .option('--record <file>', 'keep requests and responses, without secrets')
    .option('--replay <file>', 'take the responses from what --record kept')
    .option('--cache-dir <folder>', 'responses, with a cache', '.headwater-cache')
    .addOption(new Option('--progress <how>', 'shown as').choices(PROGRESS_MODES).default('auto'))
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (paths: readonly string[], flags: RunFlags) =>
      done(await (await import('./run-command.js')).runCommand(paths, flags)),
    );
  command
    .command('init')
    .description('ask an API for its pages, and write a configuration')
    .argument('[source]', "an address, a command line of curl in quotes ('curl …'), an OpenAPI document or a HAR")
    .option('--out <file>', 'where to write it: .yaml, .jsonc or .json (default: the name of the table, .yaml)')
    .option('--yes', 'ask nothing, and take what was found', false)
    .option('--name <table>', 'the name of the table (default: the last word of the address)')
    .option('--data-field <path>', 'where the items are, for example data.items (default: it is found)')
    .option('--bearer <token>', 'a token for the header Authorization; it is not written to the file')
    .option('--user <name:password>', 'a name and a password; the password is not written to the file')
    .option('--header <line>', 'a header, "NAME: VALUE"; repeatable', collected)
    .option('--job <name>', 'a list of the document: path, operation or table; repeatable', collected)
    .option('--param <name=value>', 'a value that a list of the document needs; repeatable', collected)
    .option('--base-url <address>', 'where the API is, if the document does not say it')
    .option('--keyed', 'an object of objects is items, each under its key (default: if they look alike)')
    .option('--no-keyed', 'an object of objects is one item')
    .option('--no-guess', 'try no parameters that the response does not hint at')
    .option(
      '--max-requests <number>',
      'requests at most (default: 12 a list; at a terminal it asks before it sends more)',
      positiveInteger,
    )
    .action(async (source: string | undefined, flags: InitFlags) =>
      done(await (await import('./init-command.js')).initCommand(source, flags)),
    );
  command
    .command('new')
    .description('write a configuration of the catalogue, or list them')
    .argument('[name]', 'the server, for example keycloak; or airbyte: and the name of a source')
    .argument('[file]', 'where to write it, or - for standard output (default: NAME.json)')
    .addOption(sourceConfig())
    .addOption(sourceStreams())
    .action(async (name: string | undefined, file: string | undefined, flags: ManifestFlags) => {
      const [, source] = /^airbyte:(.*?)(?:@[\d.]+)?$/.exec(name ?? '') ?? [];
      if (name === undefined || source === undefined) done((await import('./new-command.js')).newCommand(name, file));
      else done(await (await import('./import-command.js')).importCommand(name, flags, file ?? `${source}.yaml`));
    });
  command
    .command('import')
    .description('print the configuration of a manifest of Airbyte')
    .argument('<manifest>', 'airbyte: and the path of a manifest, of its folder, or of a wheel')
    .addOption(sourceConfig())
    .addOption(sourceStreams())
    .action(async (path: string, flags: ManifestFlags) =>
      done(await (await import('./import-command.js')).importCommand(path, flags)),
    );
  command
    .command('login')
    .description('log in as a person, once, and keep what runs need')
    .argument('<config>', CONFIG)
    .requiredOption('--state <file>', 'where the login is kept; name it to run as well')
    .option('--port <port>', 'port on 127.0.0.1 that the browser comes back to (default: any that is free)', port, 0)
    .option('--timeout <seconds>', 'how long to wait for the person', positiveInteger, 600)
    .addOption(lenient())
    .addOption(components())
    .addOption(envFile())
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (path: string, flags: LoginFlags) =>
      done(await (await import('./login-command.js')).loginCommand(path, flags)),
    );
  command.commandsGroup('Look before a run, and at what is stored:');
  addLookingCommands(command, done);
  command
    .command('schema')
    .description('print the JSON Schema of configurations, for editors')
    .addOption(components())
    .action(async (flags: SchemaFlags) => done(await (await import('./schema-command.js')).schemaCommand(flags)));
  command
    .command('explain')
    .alias('describe')
    .description('say what a configuration or a part does')
    .argument(
      '[name...]',
      'configuration files; or a part, for example offset, or its kind and name, for example sink csv',
    )
    .addOption(envFile())
    .addOption(components())
    .action(async (words: readonly string[], flags: ExplainFlags) =>
      done(await (await import('./explain-command.js')).explainCommand(words, flags)),
    );
  command
    .command('studio')
    .description('open a page to write, try and run configurations')
    .argument('[config...]', 'configuration files, JSON or YAML; a new one may be named (default: headwater.json)')
    .option(
      '--port <port>',
      'port on 127.0.0.1, and those behind it for further files (default: any that is free)',
      port,
      0,
    )
    .addOption(lenient())
    .addOption(components())
    .addOption(envFile())
    .addOption(new Option('--temporal <address>', 'the Temporal server of a cluster whose runs are shown, HOST:PORT'))
    .addOption(namespace())
    .addOption(taskQueue())
    .action(async (paths: readonly string[], flags: StudioFlags) =>
      done(await (await import('./studio-command.js')).studioCommand(paths, flags)),
    );
  command
    .command('list')
    .description('list the parts, or the runs of a cluster')
    .addOption(components())
    .addOption(new Option('--temporal <address>', 'the Temporal server'))
    .addOption(namespace())
    .addOption(taskQueue())
    .addOption(format())
    .action(async (flags: ExplainFlags & Partial<RunsFlags>) => {
      const { temporal: address } = flags;
      if (address === undefined) done(await (await import('./explain-command.js')).explainCommand([], flags));
      else {
        const runs = { ...flags, temporal: address } as RunsFlags;
        done(await (await import('./cluster-runs-command.js')).listRunsCommand(runs));
      }
    });
  command.commandsGroup('Many machines, and other programs:');
  addClusterCommands(command, done);
  command
    .command('component')
    .description('run config.json of a data folder into its tables')
    .option('--data-dir <folder>', 'the data folder (default: KBC_DATADIR, or /data)')
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (flags: ComponentFlags) =>
      done(await (await import('./component-command.js')).componentCommand(flags)),
    );
  addAirbyteCommands(command, done);
  command
    .command('completion')
    .description('print a script that completes words in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => done((await import('./completion-command.js')).completionCommand(shell, command)));
  command.helpCommand(true);
  command.addHelpText('after', exampleOf('init'));
  for (const each of command.commands)
    each
      .addHelpText('after', exampleOf(each.name()))
      .showHelpAfterError(`(headwater ${each.name()} --help shows what there is)`);
  return command;
}

const FILE = 'a file of DuckDB, SQLite, Parquet, CSV or NDJSON, or a folder of such files';

/** `probe`, and its names for one aspect. */
const LOOKS: readonly (readonly [name: string, shows: Aspect | undefined, about: string])[] = [
  ['validate', 'faults', 'look for faults in a configuration'],
  ['plan', 'requests', 'print the requests that a run would make'],
  ['preview', 'items', 'request the first page of each job'],
  ['probe', undefined, 'look before a run: at faults, requests or first items'],
];

/** The subcommands that look at configurations, and at loaded data. @param done is called with the exit status */
function addLookingCommands(command: Command, done: (status: number) => void): void {
  for (const [name, shows, about] of LOOKS) {
    const look = command
      .command(name)
      .description(about)
      .argument('<config...>', CONFIGS)
      .addOption(
        new Option('--show <what>', 'what to look at; only for items something is requested')
          .choices(['faults', 'description', 'requests', 'items'])
          .default(shows ?? 'items')
          .hideHelp(shows !== undefined),
      )
      .addOption(
        new Option('--format <format>', 'how to print it')
          .choices(shows === undefined || shows === 'requests' ? ['text', 'json', 'curl'] : ['text', 'json'])
          .default('text'),
      )
      .addOption(new Option('--curl').implies({ format: 'curl' }).hideHelp())
      .option('--job <name>', 'only this job, and those above it')
      .option('--pages <pages>', 'pages of each job (default: 1)', positiveInteger)
      .option('--state <file>', 'what the last run left; a login is kept there')
      .option('--replay <file>', 'take the responses from what run --record kept')
      .option('--allow-unset', 'variables and files with values may be missing')
      .addOption(strict())
      .addOption(lenient())
      .addOption(envFile())
      .addOption(sourceConfig())
      .addOption(sourceStreams())
      .addOption(components())
      .action(async (paths: readonly string[], flags: ProbeFlags) =>
        done(await (await import('./probe-command.js')).probeCommand(paths, flags)),
      );
    for (const option of look.options)
      if (shows !== undefined && !hasEffect(option.attributeName(), shows)) option.hideHelp();
  }
  command
    .command('test')
    .description('replay a recording, and compare its result')
    .argument('<config...>', CONFIGS)
    .option('--recording <file>', 'what run --record kept (default: CONFIG with .har)')
    .option('--expected <file>', 'what was accepted (default: the recording with .expected.json)')
    .option('--update', 'accept what comes out now', false)
    .addOption(format())
    .option('--state <file>', 'what the run before the recorded one left; it is not written')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (paths: readonly string[], flags: TestFlags) =>
      done(await (await import('./test-command.js')).testCommand(paths, flags)),
    );
  command
    .command('doctor')
    .description('check this machine, and what a run would need')
    .argument('[config]', CONFIG)
    .addOption(format())
    .option('--state <file>', 'the file that runs keep their state in')
    .addOption(lenient())
    .addOption(envFile())
    .addOption(components())
    .action(async (path: string | undefined, flags: DoctorFlags) =>
      done(await (await import('./doctor-command.js')).doctorCommand(path, flags)),
    );
  command
    .command('query')
    .description('ask stored data in SQL, or list its tables')
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

/** The commands of Airbyte's connectors. @param done is called with the exit status */
function addAirbyteCommands(command: Command, done: (status: number) => void): void {
  const airbyte = command.command('airbyte').description('speak the protocol of connectors of Airbyte');
  const manifest = (): Option =>
    new Option('--manifest <place>', 'the manifest, its folder, or the wheel of a source')
      .env('HEADWATER_MANIFEST')
      .default('manifest.yaml');
  const config = (): Option =>
    new Option('--config <file>', 'the configuration of the source, in JSON or YAML').makeOptionMandatory();
  const run =
    (name: AirbyteCommand) =>
    async (flags: AirbyteFlags): Promise<void> =>
      done(await (await import('./airbyte-command.js')).airbyteCommand(name, flags));
  airbyte
    .command('spec')
    .description('print what the configuration of the source has to be')
    .addOption(manifest())
    .action(run('spec'));
  airbyte
    .command('check')
    .description('request the first page of the streams that the source is checked by')
    .addOption(manifest())
    .addOption(config())
    .action(run('check'));
  airbyte
    .command('discover')
    .description('print the streams of the source with their schemas')
    .addOption(manifest())
    .addOption(config())
    .action(run('discover'));
  airbyte
    .command('read')
    .description('print the records of the streams of a catalogue, and the state after each')
    .addOption(manifest())
    .addOption(config())
    .requiredOption('--catalog <file>', 'the configured catalogue')
    .option('--state <file>', 'the state that earlier runs have left')
    .action(run('read'));
}

/** @param done is called with the exit status */
function addClusterCommands(command: Command, done: (status: number) => void): void {
  command
    .command('worker')
    .description('make parts of the runs of a cluster')
    .addOption(temporal())
    .addOption(namespace())
    .addOption(taskQueue())
    .option('--slots <parts>', 'parts at once', positiveInteger, 4)
    .addOption(
      new Option('--deployment-name <name>', 'the deployment, where versions take turns').env(
        'TEMPORAL_DEPLOYMENT_NAME',
      ),
    )
    .addOption(
      new Option('--build-id <id>', 'its version: a run ends with that it began with').env('TEMPORAL_WORKER_BUILD_ID'),
    )
    .addOption(components())
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (flags: WorkerFlags) => done(await (await import('./worker-command.js')).workerCommand(flags)));
  command
    .command('submit')
    .description('have the workers of a cluster run a configuration')
    .argument('<config>', CONFIG)
    .requiredOption('--to <destination>', 'postgres://…, parquet:s3://… or another for many')
    .addOption(temporal())
    .addOption(namespace())
    .addOption(taskQueue())
    .option('--wait', 'show the progress, and end with the run', false)
    .option('--run-id <id>', 'commit this run once; a failed one goes on')
    .option('--every <time>', 'start a run every 15m, 1h …, until cancel')
    .option('--cron <expression>', 'start runs at these times, in UTC, until cancel')
    .option('--parts <number>', 'parts that are made at once at most (default: 100)', positiveInteger)
    .option('--priority <1-5>', 'lower numbers go first (default: 3)', positiveInteger)
    .option('--heartbeat <seconds>', 'a worker silent for it is dead (default: 30)', positiveInteger)
    .addOption(withRunColumns())
    .addOption(allowEmpty())
    .addOption(acceptIncomplete())
    .addOption(takeOver())
    .addOption(lenient())
    .addOption(strict())
    .addOption(components())
    .addOption(envFile())
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (path: string, flags: SubmitFlags) =>
      done(await (await import('./submit-command.js')).submitCommand(path, flags)),
    );
  command
    .command('status')
    .description('print what a run of a cluster does')
    .argument('<run>', 'the id of the run')
    .addOption(temporal())
    .addOption(namespace())
    .addOption(taskQueue())
    .addOption(format())
    .action(async (run: string, flags: RunsFlags) =>
      done(await (await import('./cluster-runs-command.js')).statusCommand(run, flags)),
    );
  command
    .command('tune')
    .description('change how much of a run is made at once')
    .argument('<run>', 'the id of the run')
    .addOption(temporal())
    .addOption(namespace())
    .addOption(taskQueue())
    .option('--parts <number>', 'parts that are made at once at most', positiveInteger)
    .option('--job <id>', 'the job that --concurrency is for')
    .option(
      '--concurrency <calls>',
      'calls of its children, windows and partitions at once, in each part',
      positiveInteger,
    )
    .action(async (run: string, flags: TuneFlags) =>
      done(await (await import('./cluster-runs-command.js')).tuneCommand(run, flags)),
    );
  command
    .command('cancel')
    .description('end a run, which stores nothing, or a schedule')
    .argument('<run>', 'the id of the run or schedule')
    .addOption(temporal())
    .addOption(namespace())
    .addOption(taskQueue())
    .action(async (run: string, flags: PlaceFlags) =>
      done(await (await import('./cluster-runs-command.js')).cancelCommand(run, flags)),
    );
}

const exampleOf = (name: string): string => `\nExample:\n  ${EXAMPLES[name] ?? ''}`;

/** Commander begins with the usage, and has what a command does below it. */
function beginningWithPurpose(help: string): string {
  const [usage = '', purpose = '', ...rest] = help.split('\n\n');
  return [purpose, usage, ...rest].join('\n\n');
}

/** A default that is false or empty says nothing, and the page of the command has the rest. */
function shortDescription({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices?.map((choice) => (choice === defaultValue ? `${choice} (default)` : choice));
  if (choices !== undefined) return `${description}: ${choices.join(', ')}`;
  const isSaid = defaultValue === undefined || defaultValue === false || description.includes('default:');
  return `${description}${isSaid ? '' : ` (default: ${String(defaultValue)})`}`;
}

// Options that several subcommands share.

const temporal = (): Option =>
  new Option('--temporal <address>', 'the Temporal server').env('TEMPORAL_ADDRESS').default('localhost:7233');
const namespace = (): Option =>
  new Option('--namespace <name>', 'its namespace').env('TEMPORAL_NAMESPACE').default('default');
const taskQueue = (): Option => new Option('--task-queue <name>', 'the queue of the workers').default('headwater');
const format = (): Option =>
  new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text');

const LEVELS = ['error', 'warn', 'info', 'debug'];

const strict = (): Option => new Option('--strict', 'every warning is an error').default(false);
const withRunColumns = (): Option => new Option('--with-run-columns', 'add _run_id, _page and _extracted_at to tables');
const allowEmpty = (): Option =>
  new Option('--allow-empty', 'replace rows by none where no response had items').default(false);
const acceptIncomplete = (): Option =>
  new Option('--accept-incomplete', 'store an incomplete run, or one that shrinks a table').default(false);
const takeOver = (): Option =>
  new Option('--take-over', 'replace tables that another configuration fills').default(false);
const lenient = (): Option => new Option('--lenient', 'warn of misspelled keys, and go on').default(false);

const components = (): Option =>
  new Option('--components <file>', 'a module with parts of your own; repeatable').argParser(collected);

/**
 * The option for `--env-file`, under another name: Node.js uses that name itself, at any position
 * (docs/language/secrets.md#variables-in-files).
 */
const envFile = (): Option =>
  new Option('-e, --env-file <file>', 'lines NAME=value for {"env": NAME}; repeatable').argParser(collected);

const logLevel = (): Option => new Option('--log-level <level>', 'what to log').choices(LEVELS);
const logFormat = (): Option =>
  new Option('--log-format <format>', 'how to log').choices(['text', 'json']).default('text');

const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

function integer(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an integer.');
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('Expected a port, from 0 to 65535.');
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an integer from 1.');
}

const sourceConfig = (): Option => new Option('--config <file>', 'of airbyte:MANIFEST: its configuration');
const sourceStreams = (): Option =>
  new Option('--stream <name>', 'of airbyte:MANIFEST: a stream; repeatable').argParser(collected);
