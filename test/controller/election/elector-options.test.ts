import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkedSettings } from '../../../src/controller/election/elector-options.ts';

const OPTIONS = {
  client: { resource() {} },
  name: 'operator',
  namespace: 'shop',
  onStartedLeading() {},
  onStoppedLeading() {},
};
const settings = (more: Record<string, unknown> = {}) => checkedSettings({ ...OPTIONS, ...more } as never);
const refusal = (more: Record<string, unknown>): string | undefined => {
  try {
    settings(more);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'argument', hint: expect.any(String) });
    return (error as Error).message.replace('LeaderElector: ', '');
  }
};

describe('the settings of an election', () => {
  it('have defaults, among them another identity each time', () => {
    const { identity, ...rest } = settings();
    expect(rest).toEqual({
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      drainMs: 25_000,
      healthToleranceMs: 20_000,
    });
    expect(identity.startsWith(`${hostname()}_`)).toBe(true);
    expect(settings().identity).not.toBe(identity);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ leaseDurationMs: 10_000 }, 'leaseDurationMs (10000) must be greater than renewDeadlineMs (10000)'],
    [{ renewDeadlineMs: 2_400 }, 'renewDeadlineMs (2400) must be greater than 1.2 times retryPeriodMs (2000)'],
    [{ retryPeriodMs: 0 }, 'retryPeriodMs must be greater than zero, not 0'],
    [{ renewDeadlineMs: 0, retryPeriodMs: -1 }, 'renewDeadlineMs must be greater than zero, not 0'],
    [
      { leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -2 },
      'leaseDurationMs must be greater than zero, not 0',
    ],
    [{ drainMs: -1 }, 'drainMs must be greater than zero, not -1'],
    [{ healthToleranceMs: -1 }, 'healthToleranceMs must be greater than zero, not -1'],
    [
      { leaseDurationMs: 999, renewDeadlineMs: 500, retryPeriodMs: 100 },
      'leaseDurationMs must be from 1000 to 2147483647000, not 999',
    ],
    [{ leaseDurationMs: 2_147_483_647_001 }, 'leaseDurationMs must be from 1000 to 2147483647000, not 2147483647001'],
    [{ onStartedLeading: undefined }, 'onStartedLeading must be a function'],
    [{ onStoppedLeading: 'no' }, 'onStoppedLeading must be a function'],
    [{ client: undefined }, 'client is missing'],
    [{ client: {} }, 'client is missing'],
    [{ name: '' }, 'name must be a text that is not empty'],
    [{ namespace: 7 }, 'namespace must be a text that is not empty'],
    [{ namespace: 'Shop' }, 'namespace "Shop" cannot be that of a Lease'],
    [{ labels: [] }, 'labels must be an object of texts'],
    [{ labels: null }, 'labels must be an object of texts'],
    [{ labels: { app: 'a', n: 7 } }, 'labels must be an object of texts'],
    [{ identity: '' }, 'Lock identity is empty'],
  ])('%j are refused', (more, message) => {
    expect(refusal(more)).toBe(message);
  });

  it.each<Record<string, unknown>>([
    { leaseDurationMs: 10_001 },
    { renewDeadlineMs: 2_401 },
    { drainMs: 0, healthToleranceMs: 0 },
    { leaseDurationMs: 1_000, renewDeadlineMs: 500, retryPeriodMs: 0.1 },
    { leaseDurationMs: 2_147_483_647_000 },
    { labels: {} },
    { labels: { app: 'a' }, identity: 'me', name: 'a.b-c.d' },
  ])('%j are taken', (more) => {
    expect(refusal(more)).toBeUndefined();
  });
});
