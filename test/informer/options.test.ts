import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

/** A value of a wrong type, as a program without types may pass it. */
const of = (value: unknown) => value as never;

describe('a wrong argument of a caller without types is refused with `argument` and the right form', () => {
  it('for unknown options and options of a wrong type', async () => {
    const { client } = await inProcess();
    const source = client.resource(CONFIG_MAPS);
    const reconcile = async () => {};
    const attempts: [() => unknown, RegExp][] = [
      [() => dynamicInformerFactory(client, of({ namespace: 'shop' })), /no option "namespace".*namespaces/],
      [() => dynamicInformerFactory(client, of({ namespaces: 'shop' })), /namespaces must be a list/],
      [() => dynamicInformerFactory(client, of({ selectors: {} })), /no option "selectors"/],
      [() => dynamicInformerFactory(client, of('shop')), /takes an object of options/],
      [
        () => dynamicInformerFactory(client, { sync: of('lists') }).forResource(CONFIG_MAPS),
        /sync must be one of stream, list/,
      ],
      [() => new SharedInformer(source, of({ resync: 1 })), /no option "resync"/],
      [() => new SharedInformer(source, { sync: of('watch') }), /sync must be one of/],
      [
        () => dynamicInformerFactory(client).forResource(of('v1/pods')),
        /object with group, version and resource.*parseGvr/,
      ],
      [
        () => dynamicInformerFactory(client).forResource(of({ kind: 'Pod' })),
        /object with group, version and resource/,
      ],
      [() => createController(of({ name: 'a' })), /needs a function reconcile/],
      [() => createController(of({ name: 'a', reconcile, concurrency: 3 })), /no option "concurrency"/],
      [() => createController({ name: 'a', reconcile }).enqueue(''), /unexpected key format/],
    ];
    for (const [attempt, words] of attempts) {
      let thrown: unknown;
      try {
        attempt();
      } catch (error) {
        thrown = error;
      }
      expect(isInformerError(thrown, 'argument') && `${thrown.message} ${thrown.hint ?? ''}`).toMatch(words);
    }
  });

  it('for handlers that would never be called', async () => {
    const { client } = await inProcess();
    const { informer } = dynamicInformerFactory(client).forResource(CONFIG_MAPS);
    for (const handler of [() => {}, { onAdd() {} }, { added: 'not a function' }, null, 'added']) {
      expect(() => informer.addHandler(of(handler))).toThrow(/at least one of the functions added, updated, deleted/);
    }
    const handler = { added: () => 'anything may be returned' };
    expect(() => informer.addHandler(handler, of({ policy: 'drop' }))).toThrow(
      /policy must be one of buffer, block, coalesce/,
    );
    expect(() => informer.addHandler(handler, of({ resync: 1 }))).toThrow(/no option "resync"/);
    informer.addHandler(handler).remove();
  });

  it('for a result that would be ignored', async () => {
    const { clock } = await inProcess();
    const failures: unknown[] = [];
    const logger = {
      ...silentLogger,
      warn: (_: string, fields?: object) => void failures.push(fields),
      child: () => logger,
    };
    const results = [{ requeueAfter: '30s' }, { metadata: { name: 'an object that was written' } }];
    const controller = createController({ name: 'a', reconcile: async () => of(results.shift()), clock, logger });
    const running = new AbortController();
    const run = controller.run(running.signal);
    controller.enqueue('shop/a');
    await clock.advance(10);
    running.abort();
    await run;
    expect([failures, results]).toEqual([
      [
        expect.objectContaining({
          error: expect.stringContaining('the result of a reconcile has no option "requeueAfter"'),
        }),
      ],
      [],
    ]);
  });
});
