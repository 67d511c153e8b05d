import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';

const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
const HOME = mkdtempSync(path.join(tmpdir(), 'record-export-'));
const exported = (...args: string[]) => run(['record', 'export', NIGHT, ...args], { env: { HOME } });

it('record export writes a recording as NDJSON, with the gaps in their places', async () => {
  const { code, stdout, stderr } = await exported('deployments');
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
  expect(lines[0]).toMatchObject({
    type: 'ADDED',
    gvr: 'apps/v1/deployments',
    namespace: 'shop',
    cause: 'initial',
    object: { kind: 'Deployment' },
  });
  const scaled = lines.find(({ changed }) => changed?.includes('.spec.replicas'));
  expect(scaled).toMatchObject({
    type: 'MODIFIED',
    name: 'web',
    who: 'kubectl-scale',
    object: { spec: { replicas: 9 } },
  });
  expect(lines.filter(({ type }) => type === 'GAP')).toEqual([
    { type: 'GAP', time: '2026-11-28T02:06:00.000Z', until: '2026-11-28T02:08:00.000Z', gvr: 'apps/v1/deployments', namespace: 'shop', reason: 'stopped', added: 0, modified: 2, deleted: 0 }, // biome-ignore format: one line
  ]);
}, 30_000);

it('record export writes CSV without objects, of a part of the time', async () => {
  const { stdout } = await exported('deployments,configmaps', '-o', 'csv', '--since', '2026-11-28T02:11', '--until', '2026-11-28T02:14'); // biome-ignore format: one line
  const [head, ...rows] = stdout.trimEnd().split('\r\n');
  expect(head).toBe('type,time,until,cluster,gvr,namespace,name,uid,resourceVersion,cause,who,written,changed,reason,added,modified,deleted'); // biome-ignore format: one line
  expect(rows.filter((row) => /kubectl-(scale|edit)/.test(row)).map((row) => row.split(',').slice(4, 7).join(' '))).toEqual(['apps/v1/deployments shop web', 'v1/configmaps shop feature-flags']); // biome-ignore format: one line
}, 30_000);

it('record export ends when its reader has gone, and names what is wrong', async () => {
  await using cli = new Cli(['record', 'export', NIGHT], { env: { HOME } });
  await cli.until(() => cli.lines.length > 0, 'a line');
  cli.child.stdout?.destroy();
  expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
  expect(await exported('services')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: the recording does not have "services"\nhint: it has .*pods/) }); // biome-ignore format: one line
  expect(await exported('-o', 'yaml')).toMatchObject({ code: 2, stderr: expect.stringContaining('-o yaml cannot be used with record export') }); // biome-ignore format: one line
  expect(await run(['record', 'export'], { env: { HOME } })).toMatchObject({ code: 2, stderr: expect.stringContaining('error: name a recording\n') }); // biome-ignore format: one line
}, 30_000);
