import { expect, it } from 'vitest';
import { ReadablePart } from '../../../src/cli/session/readable-part.ts';
import { ShardedSource } from '../../../src/informer/watch/sharded-source.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { ShardSet } from '../../../src/model/shard-set.ts';
import { CONFIG_MAPS, inProcess } from '../../support/in-process.ts';

it.each([
  [true, ['', true, false]],
  [false, ['forbidden', true, true]],
])('a namespace that may be read: %s, is judged by a reader that has no shard yet', async (isAllowed, judged) => {
  await using world = await inProcess();
  const { sandbox, client } = world;
  if (!isAllowed) sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: 'configmaps' } });
  let times = 0;
  const part = new ReadablePart(
    client.resource<UnknownObject>(CONFIG_MAPS, { namespace: 'shop' }),
    { namespace: 'shop', stored: undefined },
    {
      isLeftOut: true,
      onJudged: () => times++,
      reader: (source) => new ShardedSource(source, new ShardSet({ of: 2 })),
    },
  );
  const list = part.source.list({}, { signal: AbortSignal.timeout(5000) });
  await (isAllowed ? list : expect(list).rejects.toMatchObject({ status: { code: 403 } }));
  expect([part.refusal === undefined ? '' : 'forbidden', part.isJudged, part.leftOut.aborted]).toEqual(judged);
  expect(times).toBe(1);
});
