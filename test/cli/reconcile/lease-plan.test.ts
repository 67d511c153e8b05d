import { describe, expect, it } from 'vitest';
import { leasePlanOf } from '../../../src/cli/reconcile/lease-plan.ts';

const FLAGS = {
  'leader-elect': true,
  'leader-elect-lease-name': undefined,
  'leader-elect-namespace': undefined,
  'leader-elect-lease-duration': undefined,
  'leader-elect-renew-deadline': undefined,
  'leader-elect-retry-period': undefined,
  shards: undefined,
  'shard-by': undefined,
};
const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

const planOf = (hook: string, gvr = PODS, namespaces = ['shop'], flags: object = {}) =>
  leasePlanOf(
    { ...FLAGS, ...flags },
    { hook, gvr, isNamespaced: gvr.resource !== 'nodes', namespaces, current: 'current' },
  );

describe('the lease of --leader-elect', () => {
  it.each([
    ['label.ts', PODS, 'reconcile-label.ts-pods'],
    ['label.ts', DEPLOYMENTS, 'reconcile-label.ts-deployments.apps'],
    ['My Hook_2.sh', PODS, 'reconcile-my-hook-2.sh-pods'],
    ['.hidden-', PODS, 'reconcile.hidden-pods'],
    ['größe..ts', PODS, 'reconcile-gr-e.ts-pods'],
  ])('has a name that a Lease can have, from the hook %s and the type', (hook, gvr, name) => {
    expect(planOf(hook, gvr)?.name).toBe(name);
  });

  it('has a name of a possible length for a hook with a long one', () => {
    const name = planOf('x'.repeat(400))?.name ?? '';
    expect(name.length).toBeLessThan(254);
    expect(name).toMatch(/^x+-pods$/);
  });

  it('is in the only namespace of the objects, else in that of the context', () => {
    expect(planOf('a', PODS, ['shop'])?.namespace).toBe('shop');
    expect(planOf('a', PODS, ['shop', 'lab'])?.namespace).toBe('current');
    expect(planOf('a', PODS, [''])?.namespace).toBe('current');
    expect(planOf('a', PODS, ['shop'], { 'leader-elect-namespace': 'ops' })?.namespace).toBe('ops');
  });

  it('is none without --leader-elect, whose other flags would do nothing', () => {
    expect(planOf('a', PODS, ['shop'], { 'leader-elect': false })).toBeUndefined();
    const others = Object.keys(FLAGS).filter((flag) => flag.startsWith('leader-elect-'));
    expect(others).toHaveLength(5);
    for (const flag of others) {
      const flags = { 'leader-elect': false, [flag]: 1 };
      expect(() => planOf('a', PODS, ['shop'], flags)).toThrow(`--${flag} does nothing without`);
    }
  });
});
