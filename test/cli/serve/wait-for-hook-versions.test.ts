import { expect, it } from 'vitest';
import { whyBehindHook } from '../../../src/cli/serve/wait-for-hook-versions.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const SERVER = 'https://10.0.0.1:6443';

/** A cache that comes to `version` after some time, and cannot be compared with the server. */
function cacheOf(gvr: string, clock: FakeClock, { version, atMs = 0 }: { version: string; atMs?: number }) {
  let resourceVersion = '1';
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  clock.after(atMs, () => {
    resourceVersion = version;
    resolve();
  });
  const informer = {
    name: gvr,
    get continuity() {
      return [{ ageMs: 0, resourceVersion, lastSignOfLife: 0 }];
    },
    whenProven: (signal: AbortSignal) =>
      new Promise<void>((done, failed) => {
        void reached.then(done);
        signal.addEventListener('abort', () => failed(signal.reason));
      }),
    whenApplied: async () => {},
    confirm: () => Promise.reject(new Error('no route to host')),
  };
  return { type: { gvr: parseGvr(gvr) }, informer } as never;
}

interface Case {
  readonly known?: object;
  readonly text?: string;
  readonly atLeastRv?: string;
  readonly reachedAtMs?: number;
}

async function asked({ known = { pods: '9' }, text, atLeastRv, reachedAtMs = 0 }: Case) {
  const clock = new FakeClock();
  const caches = [
    cacheOf('v1/pods', clock, { version: '9', atMs: reachedAtMs }),
    cacheOf('apps/v1/deployments', clock, { version: '9', atMs: 0 }),
  ];
  const env = { INFORMER_VERSIONS: text ?? JSON.stringify({ server: SERVER, versions: known }) };
  const options = { server: SERVER, freshness: { atLeastRv }, clock, signal: new AbortController().signal };
  const started = clock.monotonic();
  let tookMs = 0;
  const asking = whyBehindHook({ env }, caches, options).finally(() => {
    tookMs = clock.monotonic() - started;
  });
  for (let turn = 0; turn < 400; turn++) await clock.advance(10);
  return [await asking, tookMs];
}

it('a question of a hook waits until the caches have come to the versions that its run knows of', async () => {
  expect(await asked({})).toEqual([undefined, 0]);
  expect(await asked({ reachedAtMs: 400 })).toEqual([undefined, 400]);
});

it('it waits two seconds at most; then the caches must not answer', async () => {
  const [reason, tookMs] = await asked({ reachedAtMs: 5_000 });
  expect(reason).toBe('its cache of v1/pods has not come to version 9, which the hook knows of, within 2s');
  expect(tookMs).toBe(2_000);
});

it.each<[string, Case]>([
  ['of other types', { known: { 'deployments.apps': '9', secrets: '100' } }],
  ['of another server', { text: JSON.stringify({ server: 'https://10.0.0.2', versions: { pods: '9' } }) }],
  ['if it says itself what its answer must have seen', { atLeastRv: '0' }],
])('versions %s are not waited for', async (_, how) => {
  expect(await asked({ ...how, reachedAtMs: 5_000 })).toEqual([undefined, 0]);
});
