import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionResource } from '../../../src/hooks/actions/action-client.ts';
import type { ActionStep } from '../../../src/hooks/actions/action-step.ts';
import { ActionJournal, type UnfinishedRun } from '../../../src/hooks/journal/action-journal.ts';
import { JournaledActions } from '../../../src/hooks/journal/journaled-actions.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '../../../src/model/status.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import type { FakeClock } from '../../../src/testing/fake-clock.ts';
import { cluster, configMap, deployments } from '../../support/hook-cluster.ts';

const MAPS = { gvr: parseGvr('v1/configmaps'), kind: 'ConfigMap', namespaced: true };
const SECRETS = { gvr: parseGvr('v1/secrets'), kind: 'Secret', namespaced: true };
const never = new AbortController().signal;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Setup {
  /** Called before each write that is not a dry run. */
  change?: () => void;
  /** The connection ends before the answer to a write. */
  lose?: boolean;
  /** The targets of writes that are answered with 500, and whether they were stored. */
  fail?: { name: string; isStored: boolean };
  mayRead?: boolean;
}

const serverError = () => new StatusError({ kind: 'Status', status: 'Failure', code: 500, message: 'no quorum' });
const forbidden = () =>
  new StatusError({ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'may not read' });

async function setup({ change, lose = false, fail, mayRead = true }: Setup = {}) {
  const place = await cluster();
  const journal = await ActionJournal.open({ folder: path.join(folder, 'journal'), owner: 'hook' });
  const dropped: string[] = [];
  const sent: string[] = [];
  const resource = ({ type, namespace }: Pick<ActionStep['target'], 'type' | 'namespace'>): ActionResource => {
    const api = place.client.resource(type.gvr, { namespace }) as unknown as ActionResource;
    const write = async <R>(what: string, options: { dryRun?: boolean | undefined }, send: () => Promise<R>) => {
      if (options.dryRun) return send();
      sent.push(what);
      change?.();
      const isFailing = fail !== undefined && what === `patch ${fail.name}`;
      if (isFailing && !fail.isStored) throw serverError();
      const answer = await send();
      if (isFailing) throw serverError();
      if (lose) throw new InformerError('transport', 'the connection ended');
      return answer;
    };
    return {
      get: (name, options) => (mayRead ? api.get(name, options) : Promise.reject(forbidden())),
      create: (body, options = {}) => write('create', options, () => api.create(body, options)),
      patch: (name, body, options) => write(`patch ${name}`, options, () => api.patch(name, body, options)),
      delete: (name, options = {}) => write(`delete ${name}`, options, () => api.delete(name, options)),
    };
  };
  const actions = new JournaledActions({ journal, primary: deployments, resource, clock: place.clock });
  const about = { key: 'shop/web', uid: place.web.metadata.uid as string };
  const carryOut = async (_: ActionStep, send: () => Promise<unknown>) => void (await send());
  return {
    ...place,
    journal,
    dropped,
    sent,
    about,
    run: (...steps: ActionStep[]) => actions.run(steps, about, carryOut, never),
    resume: (run: UnfinishedRun) =>
      actions.resume(run, carryOut, (what, why) => dropped.push(`${what}: ${why}`), never),
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

/** The journal is on a disk, so its time is not the clock's: lets the time of the clock pass until there is a result. */
async function inTime<R>(clock: FakeClock, result: Promise<R>): Promise<R> {
  let isThere = false;
  const end = () => {
    isThere = true;
  };
  result.then(end, end);
  await eventually(async () => {
    await clock.advance(1);
    return isThere;
  });
  return result;
}

const merge = (x: string, name = 'a'): ActionStep => ({
  action: { verb: 'patch', patchType: 'merge', body: {} } as ActionStep['action'],
  target: { type: MAPS, namespace: 'shop', name } as ActionStep['target'],
  body: { data: { x } },
});
const secretValue: ActionStep = {
  ...merge('2'),
  target: { type: SECRETS, namespace: 'shop', name: 's' } as ActionStep['target'],
  body: { data: { password: 'aHVudGVyMw==' } },
};
const json = (x: string): ActionStep => ({
  ...merge(x),
  action: { verb: 'patch', patchType: 'json', body: [] } as unknown as ActionStep['action'],
  body: [{ op: 'replace', path: '/data/x', value: x }],
});
const create = (metadata: object, name = ''): ActionStep => ({
  action: { verb: 'create', body: {}, own: false } as ActionStep['action'],
  target: { type: MAPS, namespace: 'shop', name } as ActionStep['target'],
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', ...metadata } },
});
const remove = (name: string): ActionStep => ({
  action: { verb: 'delete', body: {} } as ActionStep['action'],
  target: { type: MAPS, namespace: 'shop', name } as ActionStep['target'],
  body: undefined,
});

describe('the actions of a run', () => {
  it('are done one after the other, and nothing of them stays in the journal', async () => {
    await using place = await setup();
    await place.run(merge('2'), json('3'), remove('b'));
    expect(place.sent).toEqual(['patch a', 'patch a', 'delete b']);
    expect(place.find('v1/configmaps', 'shop/a')).toMatchObject({ data: { x: '3' } });
    expect(place.find('v1/configmaps', 'shop/b')).toBeUndefined();
    expect(place.journal.unfinished()).toEqual([]);
  });

  it('are in the journal with the name that the server would draw, before the first is sent', async () => {
    const names: unknown[] = [];
    await using place = await setup({
      change: () => void names.push(...place.journal.unfinished().map(({ steps }) => steps[0]?.target.name)),
    });
    await place.run(create({ generateName: 'drawn-' }));
    expect(names).toEqual([expect.stringMatching(/^drawn-.{10}$/)]);
    expect(place.find('v1/configmaps', `shop/${names[0]}`)).toBeDefined();
  });

  it('leave the journal when the server refuses one, and the others are not sent', async () => {
    await using place = await setup();
    await expect(place.run(merge('2', 'missing'), merge('3'))).rejects.toSatisfy(isNotFound);
    expect([place.sent, place.journal.unfinished()]).toEqual([['patch missing'], []]);
  });

  it('stay in the journal when it is not known what became of one', async () => {
    await using place = await setup({ lose: true });
    await expect(place.run(merge('2'))).rejects.toMatchObject({ code: 'transport' });
    expect(place.journal.unfinished()).toMatchObject([{ key: 'shop/web', steps: [{ target: { name: 'a' } }] }]);
  });

  it.each<[string, Setup, ActionStep[], boolean]>([
    ['did not store it', { fail: { name: 'a', isStored: false } }, [merge('2')], false],
    ['stored it', { fail: { name: 'a', isStored: true } }, [merge('2')], true],
    [
      'did not store it after others were done',
      { fail: { name: 'b', isStored: false } },
      [merge('2'), merge('3', 'b')],
      false,
    ],
    [
      'did not store it, of an object that may not be read',
      { fail: { name: 'a', isStored: false }, mayRead: false },
      [merge('2')],
      true,
    ],
    ['did not store it, of a value of a Secret', { fail: { name: 's', isStored: false } }, [secretValue], true],
  ])(
    'whose server fails with one and %s leave the journal only if that is proven by the state',
    async (_, options, steps, stays) => {
      await using place = await setup(options);
      await expect(place.run(...steps)).rejects.toMatchObject({ status: { code: 500 } });
      expect(place.journal.unfinished()).toHaveLength(stays ? 1 : 0);
    },
  );

  it('are sent five times at most, when others change the target in between', async () => {
    let n = 0;
    await using place = await setup({
      change: () => place.sandbox.apply([{ ...configMap('a'), data: { x: String(n++) } }]),
    });
    const ended = place.run(json('new')).catch((error) => error);
    expect(isConflict(await inTime(place.clock, ended))).toBe(true);
    expect(place.sent).toHaveLength(5);
    expect(place.journal.unfinished()).toEqual([]);
  });

  it('succeed when others change the target once in between, with a pause', async () => {
    let n = 0;
    await using place = await setup({
      change: () => n++ === 0 && place.sandbox.apply([{ ...configMap('a'), data: { x: 'other' } }]),
    });
    const startedAt = place.clock.monotonic();
    await inTime(place.clock, place.run(json('new')));
    expect(place.sent).toHaveLength(2);
    expect(place.clock.monotonic() - startedAt).toBeGreaterThanOrEqual(10);
    expect(place.find('v1/configmaps', 'shop/a')).toMatchObject({ data: { x: 'new' } });
    expect(place.journal.unfinished()).toEqual([]);
  });
});

describe('actions that an earlier process left', () => {
  it('are sent if they were not, and are done if they were', async () => {
    await using place = await setup();
    const run = await place.journal.begin({ ...place.about, steps: [merge('1'), merge('2', 'b'), remove('c')] });
    const { metadata } = place.find('v1/configmaps', 'shop/a') ?? { metadata: {} };
    await place.journal.start(run, 0, { uid: metadata.uid, resourceVersion: '1', before: 'another digest' });
    await place.journal.done(run, 2);
    await place.resume(run);
    expect([place.sent, place.dropped, place.journal.unfinished()]).toEqual([['patch b'], [], []]);
    expect(place.find('v1/configmaps', 'shop/c')).toBeDefined();
  });

  it('are given up where others changed the same fields since, and the other actions are done', async () => {
    await using place = await setup();
    const run = await place.journal.begin({ ...place.about, steps: [merge('5'), merge('2', 'b')] });
    const { metadata } = place.find('v1/configmaps', 'shop/a') ?? { metadata: {} };
    await place.journal.start(run, 0, { uid: metadata.uid, resourceVersion: '1', before: 'another digest' });
    await place.resume(run);
    expect(place.dropped).toEqual(['patch v1/configmaps shop/a of shop/web: others have changed the same fields']);
    expect([place.sent, place.journal.unfinished()]).toEqual([['patch b'], []]);
  });

  it('do not create an object a second time', async () => {
    await using place = await setup();
    const run = await place.journal.begin({ ...place.about, steps: [create({ name: 'a' }, 'a')] });
    await place.journal.start(run, 0, {});
    await place.resume(run);
    expect([place.sent, place.dropped, place.journal.unfinished()]).toEqual([[], [], []]);
  });

  it('that were never begun and that the server refuses leave the journal', async () => {
    await using place = await setup();
    const run = await place.journal.begin({ ...place.about, steps: [create({ name: 'a' }, 'a')] });
    await expect(place.resume(run)).rejects.toSatisfy(isAlreadyExists);
    expect([place.sent, place.journal.unfinished()]).toEqual([['create'], []]);
  });

  it.each([
    ['another object has its name now', { uid: 'another' }],
    ['the object exists again', { uid: null }],
    ['the object is gone', { key: 'shop/gone' }],
  ])('are dropped: %s', async (why, about) => {
    await using place = await setup();
    const run = await place.journal.begin({ ...place.about, ...about, steps: [merge('2')] });
    await place.resume(run);
    expect(place.dropped).toEqual([`the actions for ${run.key}: ${why}`]);
    expect([place.sent, place.journal.unfinished()]).toEqual([[], []]);
  });

  it('are completed for an object that one of them deleted', async () => {
    await using place = await setup();
    const own = { ...remove('gone'), target: { ...remove('gone').target, type: deployments } as ActionStep['target'] };
    const run = await place.journal.begin({ ...place.about, key: 'shop/gone', steps: [own, merge('2')] });
    await place.journal.start(run, 0, { uid: place.about.uid });
    await place.resume(run);
    expect([place.sent, place.dropped, place.journal.unfinished()]).toEqual([['patch a'], [], []]);
  });

  it('hold no value of a Secret, and such an action is given up', async () => {
    await using place = await setup({ lose: true });
    const target = { type: SECRETS, namespace: 'shop', name: 's' } as ActionStep['target'];
    const ofSecret = { ...merge('2'), target, body: { data: { password: 'aHVudGVyMw==' } } };
    const ofLabels = { ...merge('2'), target, body: { metadata: { labels: { a: 'b' } } } };
    await expect(place.run(ofSecret, ofLabels)).rejects.toMatchObject({ code: 'transport' });
    const text = await readFile(path.join(folder, 'journal', 'actions.jsonl'), 'utf8');
    expect(text).not.toContain('aHVudGVyMw');
    expect(text).toMatch(/"start":0,"effect":\{"uid":"[^"]+","resourceVersion":"\d+"\}/); // and no digest of a value
    expect(text).toContain('"labels":{"a":"b"}');
    const [run] = place.journal.unfinished();
    await expect(place.resume(run as UnfinishedRun)).rejects.toMatchObject({ code: 'transport' }); // the second one
    expect(place.dropped).toEqual(['patch v1/secrets shop/s of shop/web: the journal keeps no values of Secrets']);
  });
});
