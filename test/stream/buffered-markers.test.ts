import { expect, test } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { ReadonlyObject, UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Enveloper } from '../../src/stream/envelope.ts';
import { streamEvents } from '../../src/stream/event-stream.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import {
  added,
  errorEvent,
  expired,
  initialEnd,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../support/scripted-events.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const pod = (namespace: string, name: string, version: number): UnknownObject => ({
  metadata: { name, namespace, uid: name, resourceVersion: String(version) },
});
const stream = () => new ScriptedStream<UnknownObject>();

test('while a sorted initial list waits for another namespace, the markers of a relisted namespace are around the events of its list', async () => {
  const clock = new FakeClock();
  const shop = [
    stream().send(added(pod('shop', 'a', 1)), initialEnd(2)),
    stream().send(added(pod('shop', 'a', 20)), added(pod('shop', 'aa', 10)), initialEnd(21)),
  ];
  const db = stream();
  const lane = (namespace: string, ...streams: ScriptedStream<UnknownObject>[]) => ({
    source: new ScriptedListerWatcher<UnknownObject>().onWatch(...streams),
    namespace,
  });
  const informer = new SharedInformer<UnknownObject>([lane('shop', ...shop), lane('db', db)], {
    clock,
    random: () => 0,
  });
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  const shown: string[] = [];
  const done = streamEvents(
    {
      targets: [{ type, informer }],
      enveloper: new Enveloper({ clock, redactor: new Redactor() }),
      print: ({ type: what, object, seq }) =>
        void shown.push(`${seq} ${what} ${object.metadata.name}@${object.metadata.resourceVersion}`),
      mark: ({ type: what, seq }) => void shown.push(`${seq} ${what}`),
      sortInitial: (a: ReadonlyObject, b: ReadonlyObject) =>
        (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1,
    },
    ending.signal,
  );
  await settled();
  shop[0]?.send(added(pod('shop', 'aa', 10)));
  await settled();
  shop[0]?.send(errorEvent(expired()));
  await clock.advance(60_000);
  expect(shown).toEqual([]);
  db.send(added(pod('db', 'b', 30)), initialEnd(31));
  await settled();
  expect(shown).toEqual([
    ...['1 ADDED a@1', '2 ADDED b@30', '3 SYNCED'],
    ...['4 ADDED aa@10', '5 GAP', '6 MODIFIED a@20', '7 RELISTED'],
  ]);
  ending.abort();
  await Promise.all([done, running]);
});
