import { describe, expect, it } from 'vitest';
import { RecordedPage } from '../../../src/cli/record/recorded-page.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { pastChanges, programAt } from '../../../src/serve/ui/past.ts';
import { TableView } from '../../../src/serve/ui/table-view.ts';
import { NIGHT, nightAt } from '../../support/night.ts';
import { uiProgram } from '../../support/ui.ts';

const past = new RecordedPage(NIGHT);
const program = { ...uiProgram([]), past };
const DEPLOYMENTS = 'apps/v1/deployments';

describe('the past of a page', () => {
  it('has the rows of a moment, with the columns of the server, and the time of then', async () => {
    const then = await programAt(program, nightAt('02:10:00'), { type: 'v1/pods' });
    const view = await TableView.of(then, { type: 'v1/pods', where: 'STATUS == "Running"' });
    const [cache] = then.caches();
    const found = [...(cache?.informer.lister.list() ?? [])].filter((object) => view.matches(object));
    expect(found.length).toBeGreaterThan(4);
    const [pod] = found as [UnknownObject];
    view.takeColumns(pod);
    expect(view.row('shop/web', pod)[1]).toContain('Running');
    expect(then.clock.now()).toBe(nightAt('02:10:00'));
  });

  it('has for an object what its owners and Events are found in, in its namespace', async () => {
    const subject = { type: DEPLOYMENTS, key: 'shop/checkout' };
    const then = await programAt(program, nightAt('02:20:00'), { subject });
    expect(
      then
        .caches()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...[DEPLOYMENTS, 'apps/v1/replicasets', 'v1/configmaps', 'v1/events', 'v1/pods']]);
    const of = async (time: string) =>
      (await pastChanges(past, subject, nightAt(time))).changes.filter(({ by }) => by === 'deploy-bot');
    expect(await of('02:19:30')).toEqual([]);
    expect(await of('02:20:00')).toMatchObject([
      { what: 'MODIFIED', at: nightAt('02:19:40'), fields: [{ path: expect.stringContaining('.image') }] },
    ]);
  });

  it('has the newest change first, each with its kind, who made it, and whether it was seen or found in a new list', async () => {
    const change = { by: '', isInferred: false, fields: [], more: 0 };
    const changes = [
      { ...change, at: 1, kind: 'added', isInferred: true },
      { ...change, at: 2, kind: 'changed', by: 'deploy-bot', fields: [{ path: '.a' }], more: 3 },
      { ...change, at: 3, kind: 'deleted' },
    ];
    const asked: unknown[] = [];
    const timeline = async (query: unknown) => {
      asked.push(query);
      return { from: 0, lanes: [{ changes }] };
    };
    const reading = { timeline };
    expect(await pastChanges(reading as never, { type: 'v1/nodes', key: 'n1' }, 4)).toEqual({
      changes: [
        { at: 3, what: 'DELETED', cause: 'watch', fields: [], more: 0 },
        { at: 2, what: 'MODIFIED', cause: 'watch', fields: [{ path: '.a' }], more: 3, by: 'deploy-bot' },
        { at: 1, what: 'ADDED', cause: 'relist', fields: [], more: 0 },
      ],
      since: 0,
    });
    expect(asked).toEqual([{ type: 'v1/nodes', name: 'n1', namespace: undefined, until: 4 }]);
  });

  it('has no changes of what is not in the recording, as of the moment', async () => {
    const reading = { timeline: async () => undefined };
    const of = pastChanges(reading as never, { type: 'v1/nodes', key: 'n1' }, 4);
    expect(await of).toEqual({ changes: [], since: 4 });
  });

  it('gives the reader of the changes the signal of the page', async () => {
    const signals: unknown[] = [];
    const reading = { ...past, types: [], timeline: async (_: unknown, signal?: AbortSignal) => void signals.push(signal) }; // biome-ignore format: one record
    const page = new AbortController();
    await pastChanges(reading as never, { type: DEPLOYMENTS, key: 'shop/checkout' }, nightAt('02:20:00'), page.signal);
    expect(signals).toEqual([page.signal]);
  });

  it('reads each moment once for rows and object', async () => {
    const first = await past.at(nightAt('02:12:00'), [{ id: DEPLOYMENTS }]);
    expect((await past.at(nightAt('02:12:00'), [{ id: DEPLOYMENTS }]))[0]).toBe(first[0]);
  });

  it('refuses a moment with more objects than it may read, but reads a namespace that has fewer', async () => {
    const few = new RecordedPage(NIGHT, { mostObjects: 4 });
    await expect(few.at(nightAt('02:12:00'), [{ id: 'v1/pods' }])).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringMatching(/^\d+ pods: of a moment the page reads at most 4$/),
      hint: 'query pods --at 2026-11-28T02:12:00.000Z --from FILE reads them all',
    });
    expect(await few.at(nightAt('02:12:00'), [{ id: 'v1/pods', namespace: 'none' }])).toHaveLength(1);
    expect(await few.at(nightAt('02:12:00'), [{ id: DEPLOYMENTS }])).toHaveLength(1);
  });

  it('refuses what was not recorded, and every moment without a recording', async () => {
    await expect(past.at(nightAt('02:12:00'), [{ id: 'v1/nodes' }])).rejects.toMatchObject({ code: 'argument' });
    await expect(past.timeline({ type: 'v1/nodes' })).rejects.toThrow(/v1\/nodes is not in the recording/);
    await expect(programAt(uiProgram([]), 1, { type: DEPLOYMENTS })).rejects.toMatchObject({ code: 'argument' });
    await expect(programAt(program, Number.NaN, { type: DEPLOYMENTS })).rejects.toMatchObject({ code: 'argument' });
  });
});
