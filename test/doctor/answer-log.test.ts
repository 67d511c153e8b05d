import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { AnswerLog } from '../../src/doctor/answer-log.ts';
import { clockFound, throttlingFound } from '../../src/doctor/server.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { inProcess } from '../support/in-process.ts';

describe('the clock of the server, by its answers', () => {
  it.each([0, 29_000, -29_000])('ahead by %i ms: they agree', async (skewMs) => {
    expect(await reading(skewMs)).toMatchObject({ status: 'ok', found: expect.stringContaining('the clocks agree') });
  });

  it.each([
    [31_000, 'behind'],
    [-31_000, 'ahead of'],
  ])('ahead by %i ms: a warning with the direction and a fix', async (skewMs, word) => {
    expect(await reading(skewMs)).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(new RegExp(`^this machine is 3[012]s \\(\\S+\\) ${word} the server`)),
      fix: expect.stringContaining('here or on the server'),
    });
  });

  it('without a date nothing is said of it', () => {
    expect(clockFound(new AnswerLog(new FakeClock()).reading)).toMatchObject({ status: 'skipped' });
  });

  async function reading(skewMs: number) {
    await using cluster = await inProcess();
    cluster.sandbox.skewClock(skewMs);
    const log = new AnswerLog(cluster.clock);
    await createClient(log.through(cluster.transport)).version();
    return clockFound(log.reading);
  }
});

it('answers with 429 are counted', async () => {
  await using cluster = await inProcess();
  const log = new AnswerLog(cluster.clock);
  const client = createClient(log.through(cluster.transport));
  await client.version();
  expect(throttlingFound(log)).toMatchObject({ status: 'ok', found: 'none of 1 requests was answered with 429' });
  cluster.sandbox.faults.add({ fault: { kind: 'status', code: 429 } });
  await expect(client.version()).rejects.toThrow();
  expect(throttlingFound(log)).toMatchObject({
    status: 'warning',
    found: expect.stringMatching(/^1 of \d answers were 429/),
    fix: expect.stringContaining('--qps'),
  });
});
