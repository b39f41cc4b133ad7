/** The files of a run: those that it reads, and those that it writes. */
import type { ReadConfiguration, Validation } from '../..';
import { filesOfDestinations } from '../own-files';
import type { NamedFile } from '../own-files';
import type { Written } from './destinations';
import type { RunFlags } from './flags';

/** What a run reads, and must not write. */
export const filesRead = (
  { envFile = [], components = [], replay }: Pick<RunFlags, 'envFile' | 'components' | 'replay'>,
  { files }: Pick<ReadConfiguration, 'files'>,
  { secretFiles }: Pick<Validation, 'secretFiles'>,
): readonly NamedFile[] => [
  ...files.map((path, at) => ({ what: at === files.length - 1 ? 'the configuration' : 'a part of it', path })),
  ...envFile.map((path) => ({ what: 'the file of --env-file', path })),
  ...components.map((path) => ({ what: 'the module of --components', path })),
  ...secretFiles.map((path) => ({ what: 'a file that the configuration refers to', path })),
  ...(replay === undefined ? [] : [{ what: 'the recording of --replay', path: replay }]),
];

/** What a run writes. */
export const filesWritten = (
  { state, record }: Pick<RunFlags, 'state' | 'record'>,
  destinations: readonly Written[],
): readonly NamedFile[] => [
  ...(state === undefined ? [] : [{ what: '--state', path: state }]),
  ...(record === undefined ? [] : [{ what: '--record', path: record }]),
  ...filesOfDestinations(destinations),
];
