/** What the text of a configuration says of its jobs. */
import { pathOf, valueAt, valueOf } from './place';
import type { Language } from './place';

/** A job as the text has it. */
export interface WrittenJob {
  /** For example `config.jobs[0].children[1]`. */
  readonly path: string;
  readonly name: string;
  readonly id?: string;
  readonly endpoint: string;
  readonly level: number;
  /** Whether it has children, windows or partitions, of which several may run at once. */
  readonly hasCalls: boolean;
  readonly concurrency?: number;
}

/** What the text says, as far as it can be read: it is read once, however many views look at it. */
export interface Written {
  /** Without `parameters` around it. */
  readonly value: unknown;
  readonly jobs: readonly WrittenJob[];
}

const CALLS = ['children', 'partitions', 'window'];

/** What a text says. */
export function writtenIn(text: string, language: Language): Written {
  const value = valueOf(text, language);
  return { value: valueAt(value, ['parameters']) ?? value, jobs: jobsIn(value) };
}

/** The jobs of a configuration, children behind their parents. */
function jobsIn(value: unknown): readonly WrittenJob[] {
  const root = valueAt(value, ['parameters']) === undefined ? '' : 'parameters.';
  const walk = (path: string, level: number): readonly WrittenJob[] => {
    const list = valueAt(value, pathOf(path));
    if (!Array.isArray(list)) return [];
    return (list as readonly unknown[]).flatMap((job, at) => {
      const place = `${path}[${at}]`;
      const told = (key: string): string | undefined => {
        const found = valueAt(job, [key]);
        return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
      };
      const id = told('id');
      const endpoint = told('endpoint') ?? '';
      const name = told('dataType') ?? id ?? endpoint;
      const hasCalls = CALLS.some((key) => valueAt(job, [key]) !== undefined);
      const concurrency = valueAt(job, ['concurrency']);
      const written = {
        ...{ path: place, name, endpoint, level, hasCalls },
        ...(id === undefined ? {} : { id }),
        ...(typeof concurrency === 'number' ? { concurrency } : {}),
      };
      return [written, ...walk(`${place}.children`, level + 1)];
    });
  };
  return walk(`${root}config.jobs`, 0);
}
