import { expect, it } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Enveloper } from '../../src/stream/envelope.ts';
import { streamEvents } from '../../src/stream/event-stream.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { added, initialEnd, modified, ScriptedListerWatcher, ScriptedStream } from '../support/scripted-events.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const pod = (uid: string, resourceVersion: number): UnknownObject => ({
  metadata: { name: 'a', namespace: 'shop', uid, resourceVersion: String(resourceVersion) },
});

it('a stream that ends between the deletion and the addition of a replaced object leaves no gap in its numbers', async () => {
  const clock = new FakeClock();
  const watch = new ScriptedStream<UnknownObject>().send(added(pod('1', 1)), initialEnd('1'));
  const informer = new SharedInformer<UnknownObject>(new ScriptedListerWatcher<UnknownObject>().onWatch(watch), {
    name: 'pods',
    clock,
    random: () => 0,
  });
  const ending = new AbortController();
  const ran = informer.run(ending.signal);
  const enveloper = new Enveloper({ clock, redactor: new Redactor() });
  const shown: string[] = [];
  let release = () => {};
  const done = streamEvents(
    {
      targets: [{ type, informer }],
      enveloper,
      print({ type: what, seq }) {
        shown.push(`${seq} ${what}`);
        return what === 'DELETED' ? new Promise((resolve) => (release = resolve)) : undefined;
      },
    },
    ending.signal,
  );
  await settled();
  watch.send(modified(pod('2', 2)));
  await settled();
  ending.abort();
  release();
  await Promise.all([done, ran]);
  expect(shown).toEqual(['1 ADDED', '2 DELETED']);
  expect(enveloper.stamp().seq).toBe(3);
});
