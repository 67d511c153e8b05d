import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import type { SharedInformer } from '../../src/informer/shared-informer.ts';
import { createLogger } from '../../src/kit/logger.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, ConfigMaps, inProcess } from '../support/in-process.ts';
import { dynamicInformerFactory } from '../support/store-under-test.ts';

const boom = () => {
  throw new Error('a callback of the user');
};
const throwing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, boom]));

/**
 * Runs an informer whose callbacks throw through a sync, a failing handler, a broken watch and a change. Returns its
 * log and its keys.
 */
async function outcomeOf(options: Partial<SharedInformerOptions<UnknownObject>>) {
  const { client, sandbox, clock } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  maps.put('shop/a');
  const lines: string[] = [];
  const logger = createLogger((level, message) => lines.push(`${level} ${message}`));
  const factory = dynamicInformerFactory(client, { clock, logger, sync: 'list', ...options } as object);
  const { informer, lister } = factory.forResource(CONFIG_MAPS);
  informer.addHandler({ added: boom });
  const running = new AbortController();
  factory.start(running.signal);
  await factory.waitForSync(running.signal);
  sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { watch: true } });
  sandbox.restart();
  maps.put('shop/b');
  for (let i = 0; i < 60 && [...lister.keys()].length < 2; i++) {
    await clock.advance(1_000);
    await settled();
  }
  running.abort();
  await factory.shutdown();
  return { lines, keys: [...lister.keys()].sort() };
}

describe('a user callback that throws', () => {
  it.each<[string, Partial<SharedInformerOptions<UnknownObject>>, string]>([
    ['onHandlerError', { onHandlerError: boom }, 'error onHandlerError threw'],
    ['onHandlerError, later', { onHandlerError: async () => boom() }, 'error onHandlerError threw'],
    ['onWatchError', { onWatchError: boom }, 'error the watch error handler threw'],
    ['onWatchError, later', { onWatchError: (async () => boom()) as never }, 'error the watch error handler threw'],
    ['onContinuity', { onContinuity: boom }, 'error an observer of continuity threw'],
    ['onContinuity, later', { onContinuity: (async () => boom()) as never }, 'error an observer of continuity threw'],
    ['onProgress', { onProgress: boom }, 'error onProgress threw'],
    [
      'metrics',
      { metrics: throwing(['listed', 'watched', 'queued', 'applied', 'storeFailed', 'handlerFailed']) as never },
      'error the metrics threw',
    ],
  ])('is reported, and ends neither the informer nor the process: %s', async (_, options, line) => {
    const { lines, keys } = await outcomeOf(options);
    expect([lines.includes(line), keys]).toEqual([true, ['shop/a', 'shop/b']]);
  });
});

describe('a callback that fails at every event', () => {
  it.each<[string, string, (informer: SharedInformer<UnknownObject>, signal: AbortSignal, rest: object) => void]>([
    ['a handler', 'an informer handler failed', (informer) => void informer.addHandler({ added: boom })],
    [
      'a mapper of a controller',
      'an event could not be mapped to keys',
      (informer, signal, rest) => {
        const sources = [createInformerSource(informer, { name: 'maps', enqueue: boom })];
        void createController({ name: 'c', sources, reconcile: async () => {}, ...rest }).run(signal);
      },
    ],
  ])(
    'is reported ten times a minute, then less and less often with the count, and again a minute later: %s',
    async (_, words, attach) => {
      const { client, sandbox, clock } = await inProcess();
      const maps = new ConfigMaps(sandbox);
      for (let i = 0; i < 100; i++) maps.put(`shop/m${i}`);
      const reported: unknown[] = [];
      const logger = createLogger((level, message, { failures = 1 }) => {
        if (level === 'error' && message === words) reported.push(failures);
      });
      const factory = dynamicInformerFactory(client, { clock, logger, sync: 'list' });
      const { informer, lister } = factory.forResource(CONFIG_MAPS);
      const running = new AbortController();
      attach(informer, running.signal, { clock, logger });
      factory.start(running.signal);
      await factory.waitForSync(running.signal);
      await settled();
      expect(reported).toEqual([...Array(10).fill(1), 16, 32, 64]);
      await clock.advance(60_000);
      maps.put('shop/later');
      for (let i = 0; i < 60 && [...lister.keys()].length < 101; i++) await clock.advance(1_000);
      await settled();
      expect(reported.slice(13)).toEqual([1]);
      running.abort();
      await factory.shutdown();
    },
  );
});
