/** `headwater probe CONFIG…`, which is also `validate`, `explain`, `plan` and `preview`. */
import { FatalError, probe } from '..';
import type { JsonObject } from '..';
import { stateFor, environmentOf, lookAtEach, nameIn } from './configurations';
import type { OneConfiguration } from './configurations';
import { EXIT, abortOnInterruption } from './exit-status';
import { filesRead, refuseOverwriting } from './files';
import { print, printJson, printUnder, terminalWidth } from './output';
import { comment, curlText, descriptionText, previewText, requestsText } from './probe-text';
import { hasEffect, optionOf } from './probe-flags';
import type { ProbeFlags } from './probe-flags';
import { missingIn, replayFrom } from './recording-file';
import { saveStateFile, sealOfEnvironment } from './state-file';

/** Prints what there is to know of configurations before a run. Resolves to the worst exit status. */
export async function probeCommand(paths: readonly string[], flags: ProbeFlags): Promise<number> {
  const { show, format, components, state } = flags;
  const useless = Object.entries(flags).find(([flag, value]) => value !== undefined && !hasEffect(flag, show))?.[0];
  const isCurl = format === 'curl' && show !== 'requests';
  const unused = useless === undefined ? (isCurl ? '--format curl' : undefined) : optionOf(useless);
  if (unused !== undefined) {
    process.stderr.write(`${unused} has no effect where the ${show} are shown: leave it out.\n`);
    return EXIT.userError;
  }
  const { signal, forget } = abortOnInterruption();
  try {
    const each = { signal, components, manifest: flags, own: { '--state': state } };
    return await lookAtEach(paths, each, (configuration) => probeOne(configuration, flags, signal));
  } finally {
    forget();
  }
}

async function probeOne(
  { path, read, components, label, name }: OneConfiguration,
  flags: ProbeFlags,
  signal: AbortSignal,
): Promise<number> {
  const { show, format, lenient = false, strict = false, allowUnset = false, job, pages, replay } = flags;
  const standsIn = show === 'description' || show === 'requests' || allowUnset;
  const { proxies, ...surroundings } = environmentOf(flags);
  const probed = probe(read.configuration, {
    ...{ lenient, components, ...surroundings },
    ...(standsIn ? { unset: 'stand in' } : missingIn(flags)),
  });
  const judged = probed.judge();
  const { jobs, warnings, unset } = judged;
  const warn = (what: string, { path, message }: (typeof warnings)[number]): void =>
    void process.stderr.write(`${label}${what}: ${path}: ${message}\n`);
  unset.forEach((each) => warn('not checked', each));
  // A preview has the warnings of its run.
  if (show !== 'items' || strict) warnings.forEach((each) => warn('warning', each));
  if (strict && warnings.length > 0) {
    process.stderr.write(`${label}The configuration is refused: with --strict, every warning is an error.\n`);
    return EXIT.userError;
  }
  const file = flags.state === undefined ? undefined : nameIn(flags.state, path);
  if (file !== undefined && show === 'items')
    refuseOverwriting([{ what: '--state', path: file }], filesRead(flags, read, judged));
  const state = file === undefined ? {} : { state: await stateFor(read, file) };
  const shown = (json: object, text: () => string): void =>
    format === 'json' ? printJson(name, json) : printUnder(name, text());
  switch (show) {
    case 'faults':
      if (format === 'json') printJson(name, { jobs, warnings, unset });
      else print(`${label}The configuration is valid: ${jobs} ${jobs === 1 ? 'job' : 'jobs'}.\n`);
      return EXIT.success;
    case 'description': {
      const paragraphs = probed.explain();
      shown({ paragraphs }, () => descriptionText(paragraphs, terminalWidth()));
      return EXIT.success;
    }
    case 'requests': {
      const requests = probed.requests(state);
      if (format === 'curl')
        print(name === undefined ? curlText(requests) : `${comment(name)}\n\n${curlText(requests)}\n`);
      else shown(requests, () => requestsText(requests, terminalWidth()));
      return EXIT.success;
    }
    case 'items': {
      const seal = sealOfEnvironment();
      const preview = await probed
        .preview({
          ...{ signal, proxies, ownConnections: true, ...state },
          ...(job === undefined ? {} : { job }),
          ...(pages === undefined ? {} : { pages }),
          // A login that replaces its own credentials must be kept, even in a preview.
          ...(file === undefined ? {} : { onCredentials: (next: JsonObject) => saveStateFile(file, next, seal) }),
          ...(replay === undefined ? {} : await replayFrom(nameIn(replay, path))),
        })
        .catch((error: unknown) => {
          throw error instanceof RangeError ? new FatalError('CONFIG_INVALID', error.message) : error;
        });
      shown(preview, () => previewText(preview, terminalWidth()));
      return preview.jobs.some((one) => one.state === 'failed') ? EXIT.userError : EXIT.success;
    }
  }
}
