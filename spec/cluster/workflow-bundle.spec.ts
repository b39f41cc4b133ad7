import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowBundle } from '../../src/cluster/workflow-bundle';

describe('workflowBundle', () => {
  let folder: string;
  let workflow: string;
  let packed: string[];
  const pack = (path: string): Promise<string> => {
    packed.push(path);
    return Promise.resolve(`packed ${packed.length}`);
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    workflow = join(folder, 'workflow.js');
    packed = [];
    await writeFile(workflow, 'first');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('packs a workflow once', async () => {
    expect(await workflowBundle(workflow, '1.2.3', pack)).toBe('packed 1');
    expect(await workflowBundle(workflow, '1.2.3', pack)).toBe('packed 1');
    expect(packed).toEqual([workflow]);
    expect(await readdir(join(folder, '.cache'))).toHaveLength(1);
  });

  it('packs it again for another version of the packer, and when the workflow has changed', async () => {
    await workflowBundle(workflow, '1.2.3', pack);
    expect(await workflowBundle(workflow, '1.2.4', pack)).toBe('packed 2');
    await writeFile(workflow, 'second');
    expect(await workflowBundle(workflow, '1.2.4', pack)).toBe('packed 3');
  });

  it('does without a place where it can be kept', async () => {
    await writeFile(join(folder, '.cache'), 'a file');
    await chmod(folder, 0o555);
    expect(await workflowBundle(workflow, '1.2.3', pack)).toBe('packed 1');
    await chmod(folder, 0o755);
  });
});
