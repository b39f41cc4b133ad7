/** The calls of the page: one function for each. Each is a few lines around the library. */
import { basename, extname, join, dirname } from 'node:path';
import { ConfigurationError, fetchOpenApi, HeadwaterError, preview, schemaOf, validate } from '..';
import type { EnvironmentOptions, Fault, Json, Part, ProxyVariables, TuneSettings } from '..';
import { partsWithBuiltIn } from '../run/built-in-parts';
import { withReferences } from '../language/references/read';
import {
  initialConfigurationFrom,
  configurationFromLists,
  requestIn,
  offlineInitialConfiguration,
} from './initial-configuration';
import type { InitialConfiguration } from './initial-configuration';
import { clusterRun, clusterRuns, createRuns } from './runs';
import type { WatchedCluster, Runs } from './runs';
import { readConfiguration, saveConfiguration, languageOf } from './configuration-file';
import { LIMITS, databaseOf } from './database';
import { credentialOf, createOffers } from './offers';
import { RefusedRequest } from './replies';
import { createMask } from './mask';
import type { Mask } from './mask';
import { wholeConfigurationOf } from './whole-configuration';
import type { Whole } from './whole-configuration';
import type { Beneath, Begun, Offer } from './wire';

/** The input of the studio. */
export interface CallOptions extends EnvironmentOptions {
  /** The file of the configuration, which may not exist yet. */
  readonly path: string;
  /** The file of the program that runs a query. */
  readonly queries: string;
  readonly lenient: boolean;
  readonly components: readonly Part[];
  /** Replaces the network, for specs. */
  readonly fetch?: typeof globalThis.fetch;
  /** As in `extract`. */
  readonly proxies?: ProxyVariables;
  /** A cluster whose runs are shown; absent: none is. */
  readonly cluster?: WatchedCluster;
}

/** The limits of each response in a preview: lists and addresses are chosen in it. */
const SHOWN = { bodyCharacters: 262_144, items: 20 };

type Given = Readonly<Record<string, unknown>>;
type Call = (given: Given, signal: AbortSignal) => unknown;

export interface Calls {
  readonly call: Readonly<Record<string, Call>>;
  readonly runs: Runs;
  readonly mask: Mask;
}

/** @example createCalls({ path: 'rivers.json', lenient: false, components: [] }).call.open?.({}, signal) */
export function createCalls(options: CallOptions): Calls {
  const { path, queries, lenient, components, env, secretFiles, fetch, proxies, cluster } = options;
  const language = languageOf(path);
  const stem = basename(path, extname(path));
  const databaseFile = join(dirname(path), `${stem}.duckdb`);
  const network = { ...(fetch === undefined ? {} : { fetch }), ...(proxies === undefined ? {} : { proxies }) };
  const mask = createMask();
  const offers = createOffers();
  const database = databaseOf(databaseFile, { program: queries, ...LIMITS });
  const runs = createRuns(databaseFile, network);
  /** Secrets that came with the source of a configuration: they are kept only here, and lost when the studio ends. */
  const kept = new Map<string, string>();
  const environment = (): EnvironmentOptions =>
    env === false
      ? { env }
      : {
          env: { ...(env ?? process.env), ...Object.fromEntries(kept) },
          secretFiles: secretFiles ?? env === undefined,
        };
  const written = (given: Given): string => mask.uncover(textIn(given, 'text'), language);
  const wholeIn = async (text: string): Promise<Whole> => {
    const whole = await wholeConfigurationOf(text, { path, language });
    for (const value of new Set([whole.config, ...whole.values])) mask.learnFrom(value);
    mask.learn(secretsReferredTo(whole.config, components, environment()));
    return whole;
  };
  const learnFrom = async (text: string): Promise<void> => {
    try {
      await wholeIn(text);
    } catch (error) {
      // The page shows its faults.
      if (!(error instanceof RefusedRequest || error instanceof HeadwaterError)) throw error;
    }
  };
  const beneathIn = ({ beneath }: Whole): { readonly beneath?: Beneath } =>
    beneath === undefined ? {} : { beneath: beneath(mask.hide) };
  const shown = ({ text, version }: { readonly text: string; readonly version?: string }) => ({
    text: mask.cover(text, language),
    ...(version === undefined ? {} : { version }),
  });
  const begun = ({ text, secrets, unset, ...found }: InitialConfiguration): Begun => {
    for (const [name, secret] of Object.entries(secrets)) kept.set(name, secret);
    mask.learn(Object.values(secrets).flatMap((secret) => [secret, ...cookieValuesIn(secret)]));
    const { env = {} } = environment();
    const isUnset = (name: string): boolean => env === false || env[name] === undefined;
    return {
      ...{ text: mask.cover(text, language), ...found },
      ...{ variables: Object.keys(secrets), unset: unset.filter(isUnset) },
    };
  };
  const call: Readonly<Record<string, Call>> = {
    open: async () => {
      const found = await readConfiguration(path);
      await learnFrom(found.text);
      return {
        ...shown(found),
        ...{ name: basename(path), language, database: basename(databaseFile) },
        ...(cluster === undefined ? {} : { cluster: cluster.address }),
      };
    },
    begin: async (given, signal): Promise<Begun | Offer> => {
      const wanted = requestIn(textIn(given, 'source'));
      const credential = given['credential'] === undefined ? [] : [credentialOf(textsOf(given['credential']))];
      const request = { ...wanted, credentials: [...(wanted.credentials ?? []), ...credential] };
      if (given['asks'] === false) return begun(await offlineInitialConfiguration(request, language));
      const { url, headers } = request;
      const description = await fetchOpenApi(url, { headers, signal, ...network });
      return description === undefined
        ? begun(await initialConfigurationFrom(request, language, { signal, ...network }))
        : offers.read(description, url);
    },
    offer: (given): Offer => offers.read(textIn(given, 'source')),
    choose: async (given, signal): Promise<Begun> => {
      const { env = {} } = environment();
      const secrets = { ...(env === false ? {} : textsOf(env)), ...textsOf(given['secrets']) };
      const baseUrl = optionalTextIn(given, 'baseUrl');
      const chosen = offers.chosen({
        ...{ offer: Number(given['offer']), choices: numbersOf(given['choices']) },
        ...{ values: textsOf(given['values']), secrets },
        ...(baseUrl === undefined ? {} : { baseUrl }),
      });
      return begun(await configurationFromLists(chosen, language, { signal, ...network }));
    },
    save: async (given) => {
      const text = written(given);
      // A text that could not be shown again is not written.
      mask.cover(text, language);
      return shown(await saveConfiguration(path, text, optionalTextIn(given, 'version')));
    },
    check: async (given) => {
      let whole: Whole | undefined;
      try {
        whole = await wholeIn(written(given));
        const { warnings, jobs } = validate(whole.config, { lenient, components, ...environment() });
        return { jobs, warnings: warnings.map(whole.ofPart), faults: [], ...beneathIn(whole) };
      } catch (error) {
        const faults = faultsOf(whole?.placed(error) ?? error);
        // The parts of an unreadable configuration are unknown.
        const beneath =
          error instanceof RefusedRequest ? {} : whole === undefined ? { beneath: null } : beneathIn(whole);
        return { jobs: 0, warnings: [], faults, ...beneath };
      }
    },
    preview: async (given, signal) => {
      const chosen = typeof given['job'] === 'string' ? { job: given['job'] } : {};
      const { config, placeOf, placed } = await wholeIn(written(given));
      const looked = await preview(config, {
        ...{ lenient, components, signal },
        ...environment(),
        ...network,
        ...SHOWN,
        ...chosen,
      }).catch((error: unknown) => {
        throw placed(error);
      });
      return { ...looked, jobs: looked.jobs.map((job) => ({ ...job, path: placeOf(job.path) })) };
    },
    run: async (given) => {
      const { config, placeOf, placed } = await wholeIn(written(given));
      try {
        validate(config, { lenient, components, ...environment() });
      } catch (error) {
        throw placed(error);
      }
      runs.start(config, { configurationName: basename(path), lenient, components, ...environment() }, placeOf);
      return {};
    },
    tune: (given) => {
      runs.tune(tuningIn(given));
      return {};
    },
    cancel: () => {
      runs.cancel();
      return {};
    },
    schema: () => schemaOf(components),
    tables: (_, signal) => database.tables(signal),
    profile: (given, signal) => database.profile(textIn(given, 'schema'), textIn(given, 'table'), signal),
    query: (given, signal) => database.query(textIn(given, 'sql'), signal),
    runs: (_, signal) => database.runs(signal),
    ...(cluster === undefined
      ? {}
      : { clusterRuns: () => clusterRuns(cluster), clusterRun: (given) => clusterRun(cluster, textIn(given, 'run')) }),
  };
  return { call, runs, mask: mask };
}

/** Returns the values of cookies in a secret: an API may return one of several. Shorter ones are settings. */
const cookieValuesIn = (secret: string): readonly string[] =>
  [...secret.matchAll(/(?:^|;\s*)[^=;\s]+=([^;]{8,})/g)].flatMap(([, value]) => (value === undefined ? [] : [value]));

/** Returns the secrets in variables and files; faults of the configuration are reported elsewhere. */
function secretsReferredTo(
  config: Json,
  components: readonly Part[],
  environment: EnvironmentOptions,
): readonly string[] {
  const parts = partsWithBuiltIn(components);
  return parts._tag === 'Left' ? [] : withReferences(config, parts.right, environment).referred;
}

function faultsOf(error: unknown): readonly Fault[] {
  if (error instanceof ConfigurationError) return error.faults;
  if (error instanceof RefusedRequest || error instanceof HeadwaterError) return [{ path: '', message: error.message }];
  throw error;
}

function tuningIn({ job, concurrency, parallel, rate, paused }: Given): TuneSettings {
  return {
    ...(typeof job === 'string' ? { job } : {}),
    ...(typeof concurrency === 'number' || concurrency === 'auto' ? { concurrency } : {}),
    ...(typeof parallel === 'number' ? { parallel } : {}),
    // JSON has no Infinity.
    ...(typeof rate === 'number' ? { rate } : rate === null ? { rate: Infinity } : {}),
    ...(typeof paused === 'boolean' ? { paused } : {}),
  };
}

function textIn(given: Given, name: string): string {
  const value = given[name];
  if (typeof value === 'string') return value;
  throw new RefusedRequest(400, 'MISSING', `The request has no text "${name}".`);
}

const optionalTextIn = (given: Given, name: string): string | undefined =>
  given[name] === undefined ? undefined : textIn(given, name);

const numbersOf = (value: unknown): readonly number[] => (Array.isArray(value) ? value.map(Number) : []);

/** Returns the non-empty strings of an object, by name. */
const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );
