import { describe, expect, it } from 'vitest';
import type { Hook, HookRun } from '../../../src/hooks/hook.ts';
import { ReplaceableHook } from '../../../src/hooks/run/replaceable-hook.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { request, web } from '../../support/hook-request.ts';

const RUN: HookRun = { signal: new AbortController().signal, logger: silentLogger };

/** A hook whose run ends when the test says so, and which logs what is done with it. */
function version(name: string, log: string[]) {
  const done = Promise.withResolvers<string>();
  const hook: Hook = {
    name,
    run: () => done.promise,
    kill: () => void log.push(`${name} killed`),
    close() {
      log.push(`${name} closed`);
      return Promise.resolve();
    },
  };
  return { hook, done };
}

describe('a hook that is replaced', () => {
  it('ends its runs with the old version, which is closed after the last one', async () => {
    const log: string[] = [];
    const [old, next] = [version('old', log), version('next', log)];
    const hook = new ReplaceableHook(old.hook);
    const [first, second] = [hook.run(request(web), RUN), hook.run(request(web), RUN)];
    hook.replace(next.hook);
    expect(hook.name).toBe('next');
    const third = hook.run(request(web), RUN);
    old.done.resolve('of the old one');
    expect(await Promise.all([first, second])).toEqual(['of the old one', 'of the old one']);
    await settled();
    expect(log).toEqual(['old closed']);
    next.done.resolve('of the next one');
    expect(await third).toBe('of the next one');
    await settled();
    expect(log).toEqual(['old closed']);
    await hook.close();
    expect(log).toEqual(['old closed', 'next closed']);
  });

  it('that runs nothing is closed at once', async () => {
    const log: string[] = [];
    const hook = new ReplaceableHook(version('old', log).hook);
    hook.replace(version('next', log).hook);
    await settled();
    expect(log).toEqual(['old closed']);
  });

  it('is killed in all versions that still run', async () => {
    const log: string[] = [];
    const hook = new ReplaceableHook(version('old', log).hook);
    void hook.run(request(web), RUN);
    hook.replace(version('next', log).hook);
    hook.kill();
    expect(log.sort()).toEqual(['next killed', 'old killed']);
  });
});
