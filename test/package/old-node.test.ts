import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Packed, packed, ROOT } from './packed.ts';

/** Makes a Node say that it is 20.0.0, in this process alone. */
const AS_OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})`;
const oldNode = (script: string, ...words: string[]) => ['--import', AS_OLD, script, ...words];

let pack: Packed;
beforeAll(() => {
  pack = packed();
});
afterAll(() => pack[Symbol.dispose]());

it('an installed package says that Node is too old, and what to do, and looks for no other', () => {
  const script = path.join(pack.folder, 'bin/run.js');
  expect(readFileSync(script, 'utf8')).not.toMatch(/node_modules|child_process|spawn/);
  const { status, stdout, stderr } = spawnSync(process.execPath, oldNode(script, 'version'), { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'error: kubectl-informer cannot start: Node 20.0.0 is too old\nhint: install Node 22.19 or newer (24 is best) and try again\n',
  });
});

it('a checkout runs on its own Node instead, with the same exit code, which ends even when the old one is killed', async () => {
  const script = path.join(ROOT, 'bin/run.js');
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'tools/node24/package.json'), 'utf8'));
  const { stdout } = spawnSync(process.execPath, oldNode(script, 'version'), { encoding: 'utf8' });
  expect(stdout).toContain(`(node ${version}`);
  expect(spawnSync(process.execPath, oldNode(script, 'nonsense')).status).toBe(2);
  const server = spawn(process.execPath, oldNode(script, 'sandbox'), { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(server.stdout, 'close'); // open as long as the newer Node runs
  try {
    const [first] = await once(server.stdout.setEncoding('utf8'), 'data');
    expect(first).toMatch(/https:\/\/127\.0\.0\.1:\d+/);
    server.stdout.resume();
  } finally {
    server.kill('SIGKILL');
  }
  await closed;
});
