import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { CompiledCondition } from '../../../src/stream/conditions/condition.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';
import type { WaitRules, WaitTarget } from '../../../src/stream/conditions/wait-rules.ts';
import { Waiter } from '../../../src/stream/conditions/waiter.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true };
const names = new Set(['a', 'b']);
const targets: Readonly<Record<string, WaitTarget>> = {
  'what the selectors give': { type, namespaces: ['shop', 'db'] },
  'names in two namespaces': { type, names, namespaces: ['shop', 'db'] },
  'names anywhere': { type, names, namespaces: [''] },
};

interface Step {
  readonly namespace: string;
  readonly name: string;
  readonly to: 'Running' | 'Pending' | 'gone' | 'anew';
}

const steps = fc.array(
  fc.record({
    namespace: fc.constantFrom('shop', 'db'),
    name: fc.constantFrom('a', 'b', 'c'),
    to: fc.constantFrom<Step['to'][]>('Running', 'Pending', 'gone', 'anew'),
  }),
  { maxLength: 30 },
);

/** The expected answer, computed from the current objects. `done`: met `for`, and was not replaced since then. */
class World {
  readonly objects = new Map<string, UnknownObject>();
  readonly done = new Set<string>();
  readonly #target: WaitTarget;
  #uids = 0;

  constructor(target: WaitTarget) {
    this.#target = target;
  }

  take({ namespace, name, to }: Step): ObjectChange | undefined {
    const key = `${namespace}/${name}`;
    const old = this.objects.get(key);
    if (to === 'gone') {
      if (!old) return undefined;
      this.objects.delete(key);
      return { type: 'deleted', object: old, cause: 'watch' };
    }
    const isAnother = !old || to === 'anew';
    const uid = isAnother ? `u${++this.#uids}` : (old.metadata.uid as string);
    const object: UnknownObject = {
      metadata: { name, namespace, uid },
      status: { phase: to === 'anew' ? 'Pending' : to },
    };
    this.objects.set(key, object);
    if (isAnother) this.done.delete(key);
    if (to === 'Running') this.done.add(key);
    if (!old) return { type: 'added', object, cause: 'watch' };
    return { type: 'updated', object, oldObject: old, cause: 'watch', uidChanged: to === 'anew' };
  }

  tally(rule: 'until' | 'for'): { met: number; total: number } {
    const isKnown = (key: string) => this.#target.names?.has(key.split('/')[1] as string) ?? true;
    const present = [...this.objects.keys()].filter(isKnown);
    const done = [...this.done].filter(isKnown);
    const known = new Set(rule === 'for' ? [...present, ...done] : present);
    const missing = this.#expected().filter(
      (name) => ![...known].some((key) => key === name || key.endsWith(`/${name}`)),
    );
    const isRunning = (key: string) =>
      (this.objects.get(key)?.status as { phase?: string } | undefined)?.phase === 'Running';
    const met = rule === 'for' ? done.length : present.filter(isRunning).length;
    return { met, total: known.size + missing.length };
  }

  #expected(): string[] {
    const { names = [], namespaces = [] } = this.#target;
    return namespaces.includes('')
      ? [...names]
      : namespaces.flatMap((namespace) => [...names].map((name) => `${namespace}/${name}`));
  }
}

const isRunning: CompiledCondition = {
  source: 'running',
  readsEvent: false,
  test: ({ object }) => (object as { status: { phase: string } }).status.phase === 'Running',
};
const rules: Readonly<Record<'until' | 'for', WaitRules>> = {
  until: { until: [isRunning] },
  for: { for: [parseForCondition('jsonpath={.status.phase}=Running')] },
};

describe.each(Object.entries(targets))('of %s', (_, target) => {
  it.each(['until', 'for'] as const)(
    '%s counts right after any changes, and is met the first time that all are',
    (rule) => {
      fc.assert(
        fc.property(steps, fc.nat(10), (all, syncedAt) => {
          const world = new World(target);
          const waiter = new Waiter(rules[rule], { clock: new FakeClock(), targets: [target] });
          const kind = () => waiter.settled?.kind;
          for (const [at, step] of all.entries()) {
            if (at === syncedAt) {
              waiter.synced(target);
              const { met, total } = world.tally(rule);
              expect(kind()).toBe(total > 0 && met === total ? rule : undefined);
            }
            if (kind()) return;
            const change = world.take(step);
            if (change) waiter.handle(change, target);
            const tally = world.tally(rule);
            expect(waiter.progress()).toMatchObject(tally);
            const isMet = tally.total > 0 && tally.met === tally.total && at >= syncedAt;
            expect(kind()).toBe(isMet ? rule : undefined);
            if (isMet) return;
          }
        }),
        { numRuns: 300 },
      );
    },
  );
});
