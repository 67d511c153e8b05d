import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import { checkRollouts } from '../../../src/stream/conditions/types-with-rollouts.ts';

const typed = (group: string, resource: string, kind: string) => ({
  gvr: { group, version: 'v1', resource },
  kind,
  namespaced: true,
});
const DEPLOYMENTS = typed('apps', 'deployments', 'Deployment');
const PODS = typed('', 'pods', 'Pod');
const program = (source: string) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });

describe('of a type without a rollout status', () => {
  it('rolledOut() is refused, also beside a type that has one, with the flag that asks', () => {
    const programs = [program('object.spec.replicas > 1'), program('!rolledOut(object)')];
    expect(() => checkRollouts(programs, [], [DEPLOYMENTS, PODS])).toThrow(/^--filter: rolledOut\(\): .*pods/);
  });

  it('--for rollout is refused', () => {
    const waits = ['condition=Ready', 'rollout'].map(parseForCondition);
    expect(() => checkRollouts([], waits, [PODS])).toThrow(/^--for rollout: .*pods/);
  });

  it('an expression that looks at the kind chooses by itself which objects it asks', () => {
    const chosen = program('object.kind == "Deployment" && rolledOut(object)');
    expect(() => checkRollouts([chosen], [], [DEPLOYMENTS, PODS])).not.toThrow();
  });

  it('other conditions and expressions are left alone', () => {
    const waits = ['create', 'condition=Ready'].map(parseForCondition);
    expect(() => checkRollouts([program('object.spec.replicas > 1')], waits, [PODS])).not.toThrow();
  });
});

it('types with a rollout status may be asked', () => {
  expect(() =>
    checkRollouts([program('rolledOut(object)')], [parseForCondition('rollout')], [DEPLOYMENTS]),
  ).not.toThrow();
});
