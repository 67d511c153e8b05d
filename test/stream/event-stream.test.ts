import { expect, it } from 'vitest';
import type { InformerHandler } from '../../src/informer/notification.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Enveloper } from '../../src/stream/envelope.ts';
import { type StreamTarget, streamEvents } from '../../src/stream/event-stream.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const TYPE = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' } as ResourceType;

const pod = (resourceVersion: string | undefined): UnknownObject => ({
  metadata: { name: 'a', namespace: 'shop', ...(resourceVersion ? { resourceVersion } : {}) },
});

/** A stream over an informer that says what the test wants it to. */
function stream() {
  const ending = new AbortController();
  const shown: string[] = [];
  let handler: InformerHandler<UnknownObject> = {};
  const informer = {
    addHandler: (given: InformerHandler<UnknownObject>) => {
      handler = given;
      return { synced: Promise.resolve(), remove() {} };
    },
  } as unknown as StreamTarget['informer'];
  const done = streamEvents(
    {
      targets: [{ type: TYPE, informer }],
      enveloper: new Enveloper({ clock: new FakeClock(), redactor: new Redactor() }),
      print: (event) => void shown.push(`${event.type} ${event.object.metadata.resourceVersion} ${event.cause}`),
    },
    ending.signal,
  );
  const updated = (before: string | undefined, after: string | undefined, cause: 'watch' | 'relist' | 'resync') =>
    handler.updated?.(pod(before) as never, pod(after) as never, { cause } as never);
  const end = (): Promise<unknown> => {
    ending.abort();
    return done;
  };
  return { shown, updated, end };
}

it('shows what a server sends twice, or a relist finds as it was, once', async () => {
  const { shown, updated, end } = stream();
  updated('1', '2', 'watch');
  updated('2', '2', 'watch');
  updated('2', '2', 'relist');
  updated('2', '3', 'relist');
  await end();
  expect(shown).toEqual(['MODIFIED 2 watch', 'MODIFIED 3 relist']);
});

it('shows a resync, and what has no version', async () => {
  const { shown, updated, end } = stream();
  updated('2', '2', 'resync');
  updated(undefined, undefined, 'watch');
  await end();
  expect(shown).toEqual(['MODIFIED 2 resync', 'MODIFIED undefined watch']);
});
