import { describe, expect, it } from 'vitest';
import { triggerFiltersOf } from '../../../src/cli/reconcile/config.ts';
import type { ReconcileCause } from '../../../src/controller/history/causes.ts';
import type { ReconcileRequest } from '../../../src/controller/reconciler.ts';
import type { CachedObject, ResourceEvent } from '../../../src/controller/resource-event.ts';
import type { HookConfig } from '../../../src/hooks/manifest.ts';
import { TriggerFilter } from '../../../src/hooks/triggers/trigger-filter.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const GVR = { group: '', version: 'v1', resource: 'pods' };
const FINALIZER = 'example.com/guard';

interface More {
  uid?: string;
  version?: string;
  finalizers?: string[];
  deletionTimestamp?: string;
}
const pod = (phase: string, { version = phase, uid = 'u1', ...metadata }: More = {}): CachedObject => ({
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion: version, ...metadata },
  status: { phase },
});
const [pending, running, failed] = [pod('Pending'), pod('Running'), pod('Failed')];

const added = (object: CachedObject, cause: ResourceEvent['cause'] = 'watch'): ResourceEvent => ({
  type: 'added',
  key: 'shop/web',
  object,
  cause,
});
const updated = (oldObject: CachedObject, object: CachedObject, cause: ResourceEvent['cause'] = 'watch') =>
  ({ type: 'updated', key: 'shop/web', object, oldObject, cause }) as ResourceEvent;
const deleted = (object: CachedObject): ResourceEvent => ({ type: 'deleted', key: 'shop/web', object, cause: 'watch' });

async function filterOf(config: HookConfig, names?: ReadonlySet<string>) {
  const errors: string[] = [];
  const filter = new TriggerFilter({
    rules: (await triggerFiltersOf(config)).rules,
    target: { type: { gvr: GVR, kind: 'Pod' }, names },
    finalizer: config.finalizer,
    clock: new FakeClock(),
    onError: (error) => errors.push(error.message),
  });
  const through = (...events: ResourceEvent[]) =>
    events.map((event) => {
      const judged = filter.judge(event);
      return 'event' in judged ? `${judged.event.type} ${judged.event.cause}` : `- ${judged.droppedBy}`;
    });
  return { filter, through, errors };
}

const isFailed = 'object.status.phase == "Failed"';

describe('events of the reconciled type', () => {
  it('that start to match are additions; those that stop matching lead to no run, unless --on left asks for them', async () => {
    const events = [added(pending, 'initial'), updated(pending, failed), updated(failed, running), deleted(running)];
    const { through } = await filterOf({ filter: [isFailed] });
    expect(through(...events)).toEqual([`- ${isFailed}`, 'added filter', '- --on', '- it did not match']);
    const left = await filterOf({ filter: [isFailed], on: ['left'] });
    expect(left.through(...events)).toEqual([`- ${isFailed}`, '- --on', 'deleted filter', '- it did not match']);
  });

  it('keep the state before, in which an object did not match yet, or matched still', async () => {
    const { filter } = await filterOf({ filter: [isFailed], on: ['added', 'left'] });
    filter.judge(added(pending));
    expect(filter.judge(updated(pending, failed))).toMatchObject({ event: { object: failed, oldObject: pending } });
    expect(filter.judge(updated(failed, running))).toMatchObject({ event: { object: running, oldObject: failed } });
  });

  it('are judged by their old and their new state in an expression that reads oldObject or event', async () => {
    const source = 'event == "MODIFIED" && oldObject.status.phase == "Running"';
    const { through } = await filterOf({ filter: [source] });
    expect(through(added(running), updated(running, failed), updated(failed, pending), deleted(pending))).toEqual([
      `- ${source}`,
      'updated watch',
      `- ${source}`,
      `- ${source}`,
    ]);
  });

  it('pass --watch-only unless they are of the initial list, also when a relist finds them; what a relist finds unchanged does not', async () => {
    const { filter, through } = await filterOf({ watchOnly: true });
    expect(
      through(
        added(pending, 'initial'),
        updated(pending, pending, 'relist'),
        updated(pending, running, 'relist'),
        added(running, 'relist'),
        deleted(running),
      ),
    ).toEqual(['- --watch-only', '- it did not change', 'updated relist', 'added relist', 'deleted watch']);
    expect(filter.initial).toEqual({ passed: 0, droppedBy: '--watch-only' });
  });

  it.each([
    [{ changed: ['.status.phase'] }, '--changed'],
    [{ ignoreChanges: ['.metadata'] }, '--ignore-changes'],
    [{ predicate: ['status'] as const }, '--predicate'],
    [{ noNoise: true }, '--no-noise'],
  ])('pass %j only with such a change, as additions and deletions do', async (config, rule) => {
    const { through } = await filterOf(config);
    const same = pod('Pending', { version: '2' });
    expect(through(added(pending), updated(pending, same), updated(same, running), deleted(running))).toEqual([
      'added watch',
      `- ${rule}`,
      'updated watch',
      'deleted watch',
    ]);
  });

  it('of a new object with the name of a deleted one are a deletion to --on deleted', async () => {
    const { filter } = await filterOf({ on: ['deleted'] });
    const other = pod('Pending', { uid: 'u2' });
    expect(filter.judge(updated(running, other, 'relist'))).toEqual({
      event: { type: 'deleted', key: 'shop/web', object: running, cause: 'relist', finalStateUnknown: true },
    });
  });

  it('that are deletions of an unknown state pass by their name alone', async () => {
    const unknown: ResourceEvent = { type: 'deleted', key: 'shop/web', object: undefined, cause: 'relist' };
    expect((await filterOf({ filter: [isFailed] })).through(unknown)).toEqual(['deleted relist']);
    expect((await filterOf({}, new Set(['db']))).through(unknown)).toEqual(['- it is not one of the named objects']);
  });

  it('on which an expression fails do not pass, are counted, and are reported once', async () => {
    const { filter, through, errors } = await filterOf({ filter: ['object.status.phase + 1 == 2'] });
    const source = 'object.status.phase + 1 == 2';
    expect(through(added(pending), updated(pending, running))).toEqual([`- ${source}`, `- ${source}`]);
    expect([filter.errors, errors.length]).toEqual([2, 1]);
  });
});

describe('with a finalizer', () => {
  const dying = pod('Running', { version: '9', finalizers: [FINALIZER], deletionTimestamp: '2026-03-01T12:00:00Z' });

  it('the start of a deletion that it holds up passes every filter, also in the initial list', async () => {
    for (const config of [{ filter: [isFailed] }, { on: ['added'] }, { watchOnly: true }, { changed: ['.spec'] }]) {
      const { filter, through } = await filterOf({ ...config, finalizer: FINALIZER });
      expect(through(updated(pod('Running', { finalizers: [FINALIZER] }), dying))).toEqual(['updated watch']);
      expect(filter.refusal(requestOf(), dying)).toBeUndefined();
      expect((await filterOf({ ...config, finalizer: FINALIZER })).through(added(dying, 'initial'))).toEqual([
        'added initial',
      ]);
    }
  });

  it('a deletion of a matching object passes every rule about events; one of an object that never matched does not', async () => {
    const { through } = await filterOf({ on: ['added'], finalizer: FINALIZER, filter: [isFailed] });
    expect(through(added(failed), deleted(failed), added(running), deleted(running))).toEqual([
      'added watch',
      'deleted watch',
      `- ${isFailed}`,
      '- it did not match',
    ]);
  });
});

function requestOf(causes: Partial<ReconcileCause>[] = [], gone?: CachedObject): ReconcileRequest {
  return {
    key: 'shop/web',
    namespace: 'shop',
    name: 'web',
    causes: causes.map((cause) => ({ reason: 'updated', count: 1, ...cause })),
    droppedCauses: 0,
    attempt: 1,
    before: undefined,
    gone,
  };
}

describe('when a run begins', () => {
  it('an object that does not match any more is left alone, whatever queued its key', async () => {
    const { filter } = await filterOf({ filter: [isFailed], name: '^w' });
    expect(filter.refusal(requestOf([{ key: 'shop/web-1' }]), running)).toBe(isFailed);
    expect(filter.refusal(requestOf([{ reason: 'generic' }]), failed)).toBeUndefined();
    expect((await filterOf({ name: '^db' })).filter.refusal(requestOf(), failed)).toBe('--name');
  });

  it('an object that left runs with --on left, and only for that cause', async () => {
    const { filter } = await filterOf({ filter: [isFailed], on: ['left'] });
    expect(filter.refusal(requestOf([{ reason: 'deleted', via: 'filter' }]), running)).toBeUndefined();
    expect(filter.refusal(requestOf([{ reason: 'generic' }]), running)).toBe(isFailed);
  });

  it('rules about events do not count', async () => {
    const { filter } = await filterOf({ on: ['modified'], changed: ['.spec'], filter: ['event == "MODIFIED"'] });
    expect(filter.refusal(requestOf([{ reason: 'generic' }]), running)).toBeUndefined();
  });

  it('a deleted object runs; a key that only other objects name, and no object has, does not', async () => {
    const { filter } = await filterOf({});
    expect(filter.refusal(requestOf([{ reason: 'deleted' }], running), null)).toBeUndefined();
    expect(filter.refusal(requestOf([{ reason: 'deleted' }]), null)).toBeUndefined();
    expect(filter.refusal(requestOf([{ reason: 'requeue' }]), null)).toBeUndefined();
    expect(filter.refusal(requestOf([{ reason: 'released' }]), null)).toBeUndefined();
    expect(filter.refusal(requestOf([{ key: 'shop/settings' }, { reason: 'generic' }]), null)).toBe(
      'there is no such object',
    );
    const named = await filterOf({}, new Set(['db']));
    expect(named.filter.refusal(requestOf([{ reason: 'deleted', key: 'shop/web-1' }]), null)).toBe(
      'it is not one of the named objects',
    );
  });

  it('an object that time made match has its deletion seen', async () => {
    const { filter, through } = await filterOf({ filter: [isFailed] });
    expect(filter.unmet(failed)).toBeUndefined();
    expect(through(deleted(failed))).toEqual(['deleted watch']);
  });
});
