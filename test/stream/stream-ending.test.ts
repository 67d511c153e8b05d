import { describe, expect, it } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { CompiledCondition } from '../../src/stream/conditions/condition.ts';
import { Waiter } from '../../src/stream/conditions/waiter.ts';
import { Enveloper } from '../../src/stream/envelope.ts';
import { type StreamTarget, streamEvents } from '../../src/stream/event-stream.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { added, initialEnd, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-events.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;

const pod = (name: string, resourceVersion: number): UnknownObject => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: String(resourceVersion) },
});

/** Time passes only while a condition thinks. */
class ThinkingClock extends FakeClock {
  thought = 0;
  override monotonic(): number {
    return super.monotonic() + this.thought;
  }
}

const EVENTS = 300;
const DECIDING = 150;

describe('a stream whose waiter takes long to judge and whose printer does not', () => {
  it.each(['block', 'coalesce', 'drop'] as const)(
    'shows nothing behind the event that decides, under %s',
    async (policy) => {
      const clock = new ThinkingClock();
      const slow: CompiledCondition = {
        source: 'slow',
        readsEvent: false,
        test({ object }) {
          clock.thought += 1;
          return (object as UnknownObject).metadata.resourceVersion === String(1000 + DECIDING);
        },
      };
      const watch = new ScriptedStream<UnknownObject>().send(added(pod('a', 1)), initialEnd('1'));
      const informer = new SharedInformer<UnknownObject>(new ScriptedListerWatcher<UnknownObject>().onWatch(watch), {
        name: 'pods',
        clock,
        random: () => 0,
      });
      const ending = new AbortController();
      const ran = informer.run(ending.signal);
      const target: StreamTarget = { type, informer };
      const shown: number[] = [];
      using waiter = new Waiter({ untilAny: [slow] }, { clock, targets: [target] });
      const done = streamEvents(
        {
          targets: [target],
          enveloper: new Enveloper({ clock, redactor: new Redactor() }),
          print: ({ object }) => void shown.push(Number(object.metadata.resourceVersion)),
          waiter,
          overflow: { policy, clock },
        },
        ending.signal,
      );
      await settled();
      watch.send(...Array.from({ length: EVENTS }, (_, i) => added(pod(`p${i}`, 1001 + i))));
      const outcome = await done;
      ending.abort();
      await ran;
      expect(outcome?.kind).toBe('until-any');
      expect(shown).toEqual([1, ...Array.from({ length: DECIDING }, (_, i) => 1001 + i)]);
    },
  );
});
