import { afterEach, describe, expect, it } from 'vitest';
import { inCluster } from '../../../src/cli/session/cluster-error.ts';
import type { ClusterSession } from '../../../src/cli/session/clusters.ts';
import { ClusterStart } from '../../../src/cli/watch/late-cluster.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const ended: AbortController[] = [];
afterEach(() => {
  for (const each of ended.splice(0)) each.abort(new Error('the test is over'));
});

type Answer = () => Promise<string>;
const refused = () => Promise.reject(new InformerError('transport', 'connection refused'));
const never: Answer = () => new Promise(() => {});

/** Clusters that answer as their functions do. */
function start(answers: Record<string, Answer>, { isPatient = true } = {}) {
  const clock = new FakeClock();
  const ending = new AbortController();
  ended.push(ending);
  const { signal } = ending;
  const notices: string[] = [];
  const clusters = Object.keys(answers).map((cluster) => ({
    cluster,
    named: (error: unknown) => inCluster(cluster, error),
    signal,
    notice: (text: string) => notices.push(`${cluster}: ${text}`),
    client: { discovery: { invalidate: async () => {} } },
  })) as unknown as ClusterSession[];
  const prepare = ({ cluster }: ClusterSession) => (answers[cluster] as Answer)();
  const started = new ClusterStart<string>({ clusters, prepare, isPatient, clock, signal });
  const joined: string[] = [];
  started.onReady((_, part) => joined.push(part));
  const first = started.first().then((parts) => parts.map(([, part]) => part));
  first.catch(() => {});
  return { started, first, clock, notices, joined };
}

describe('the start of several clusters', () => {
  it('begins three seconds after the first answer without those that do not answer, and says so', async () => {
    const { started, first, clock, notices } = start({ a: async () => 'A', b: never, c: async () => 'C' });
    let isDone = false;
    void first.then(() => (isDone = true));
    await clock.advance(2999);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(await first).toEqual(['A', 'C']);
    expect(notices).toEqual(['b: no answer yet; the stream goes on without it meanwhile']);
    expect([started.isComplete, started.absent.map(({ cluster }) => cluster)]).toEqual([false, ['b']]);
  });

  it('begins at once when all have answered or failed, tries those that failed again, and passes them on', async () => {
    let isUp = false;
    const { started, first, clock, notices, joined } = start({
      a: async () => 'A',
      b: () => (isUp ? Promise.resolve('B') : refused()),
    });
    expect(await first).toEqual(['A']);
    expect(notices).toEqual(['b: connection refused; trying again']);
    isUp = true;
    await clock.advance(1300);
    expect([joined, started.isComplete, started.absent]).toEqual([['B'], true, []]);
    expect(notices.at(-1)).toBe('b: it answers, and is in the stream from now on');
  });

  it('reminds of a cluster that is not reached, with the time', async () => {
    const { first, clock, notices } = start({ a: async () => 'A', b: refused });
    await first;
    await clock.advance(60_000);
    expect(notices).toEqual([
      'b: connection refused; trying again',
      'b: not reached for 30s: connection refused; trying again',
      'b: not reached for 60s: connection refused; trying again',
    ]);
  });

  it('does not try again what no retry can repair', async () => {
    let tries = 0;
    const unserved = () => {
      tries++;
      return Promise.reject(new InformerError('discovery', 'no such type'));
    };
    const { started, first, clock, notices } = start({ a: async () => 'A', b: unserved });
    await first;
    await clock.advance(600_000);
    expect([tries, started.isComplete, notices]).toEqual([1, true, ['b: error: no such type; not in this stream']]);
  });

  it('tries each once where it is not patient, and names what failed', async () => {
    const { started, first, notices } = start({ a: async () => 'A', b: refused }, { isPatient: false });
    expect(await first).toEqual(['A']);
    expect(notices).toEqual([]);
    expect(started.absent[0]?.error).toMatchObject({ message: 'cluster b: connection refused' });
  });

  it('goes on trying while none is reached, and fails when none ever can be, with one error for the same cause', async () => {
    let isUp = false;
    const later = start({ a: () => (isUp ? Promise.resolve('A') : refused()), b: refused });
    await later.clock.advance(5000);
    isUp = true;
    await later.clock.advance(5000);
    expect(await later.first).toEqual(['A']);
    const missing = () => Promise.reject(new InformerError('discovery', 'no such type'));
    await expect(start({ a: missing, b: missing }).first).rejects.toMatchObject({ message: 'no such type' });
  });
});
