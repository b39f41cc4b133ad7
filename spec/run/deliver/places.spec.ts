import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { reserve } from '../../../src/run/deliver/places';

let folder: string;
const releases: (() => void)[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-reserve-'))));
afterEach(() => {
  releases.splice(0).forEach((release) => release());
  rmSync(folder, { recursive: true, force: true });
});

/** Takes places until the end of the spec. */
const take = (...names: readonly string[]): (() => void) => {
  const release = reserve(names);
  releases.push(release);
  return release;
};
const refused = expect.objectContaining({ code: 'DESTINATION_LOCKED' }) as Error;

describe('a place that a run writes to', () => {
  it('is not for another run of the process, until it is given back', () => {
    const release = take(`csv:${folder}/out`);
    const place = `csv:${folder}/out`;
    expect(() => take(place)).toThrow(
      expect.objectContaining({ code: 'DESTINATION_LOCKED', destination: place }) as Error,
    );
    release();
    expect(() => take(`csv:${folder}/out`)).not.toThrow();
  });

  it('is not for two sinks of one run; whoever is refused holds nothing', () => {
    expect(() => take(`csv:${folder}/a`, `csv:${folder}/b`, `ndjson:${folder}/a`)).toThrow(refused);
    expect(() => take(`csv:${folder}/a`, `csv:${folder}/b`)).not.toThrow();
  });

  it.each([
    ['ndjson:-', 'ndjson:-'],
    ['ndjson:-', 'ndjson:-?tag=true'],
  ])('is not standard output for two sinks of one run: %s and %s', (one, other) => {
    expect(() => take(one, `csv:${folder}/a`, other)).toThrow(refused);
    expect(() => take(`csv:${folder}/a`)).not.toThrow();
  });

  it('may be standard output for several runs', () => {
    take('ndjson:-');
    expect(() => take('ndjson:-')).not.toThrow();
  });

  it('whoever is refused takes nothing from whom it belongs to', () => {
    take(`csv:${folder}/a`);
    expect(() => take(`csv:${folder}/b`, `csv:${folder}/a`)).toThrow(refused);
    expect(() => take(`csv:${folder}/a`)).toThrow(refused);
  });

  it('is one place by whatever way it is named', () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    take(`csv:${folder}/real`, `ndjson:${folder}/real/new`, `csv:${folder}/not/there`);
    for (const way of ['link', 'real/../real', 'real/.', 'link/new', 'not/../not/there'])
      expect(() => take(`csv:${folder}/${way}`)).toThrow(refused);
    expect(() => take(`csv:${relative(process.cwd(), folder)}/real`)).toThrow(refused);
    expect(() => take(`csv:${folder}/link/newer`)).not.toThrow();
  });

  it('is a server and what is named there; standard output is for all runs, and what has no place for all', () => {
    take('postgres://host/db', 'ndjson:-', 'mine');
    expect(() => take('postgres://host/db')).toThrow(refused);
    expect(() => take('csv:/host/db')).not.toThrow();
    expect(() => take('postgres://host/other', 'ndjson:-', 'mine', 'mine')).not.toThrow();
  });
});
