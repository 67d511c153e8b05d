import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { FINALIZER, fourChildren, othersThanReads } from '../../support/four-children.ts';
import { type InProcess, inProcess, noting } from '../../support/in-process.ts';
import { parentOf } from '../../support/wanted-children.ts';

const OWNERS = Number(process.env.OWNERS ?? 100);

/** Runs the operator until it has seen all owners. Resolves with what it sent, and what its helpers did. */
async function run({ transport, clock }: InProcess) {
  const sent: { method: string; path: string }[] = [];
  const client = createClient(noting(transport, sent as never), { clock, logger: silentLogger });
  const factory = dynamicInformerFactory(client);
  const { controller, done, results } = fourChildren(client, factory);
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  for (let turn = 0; done.size < OWNERS && turn < 5_000; turn++) await clock.advance(20);
  await clock.advance(5_000);
  stop.abort();
  await clock.advance(0);
  await running;
  await factory.shutdown();
  expect(done.size).toBe(OWNERS);
  return { sent, results: [...results].sort() };
}

it('a restart over a hundred objects with four children each sends nothing but lists and watches', async () => {
  const objects = Array.from({ length: OWNERS }, (_, i) => parentOf(`owner-${i}`, { finalizers: [FINALIZER] }));
  await using place = await inProcess({ objects });
  expect((await run(place)).results).toContain('created');
  const { sent, results } = await run(place);
  expect(othersThanReads(sent)).toEqual([]);
  expect(results).toEqual(['unchanged']);
});
