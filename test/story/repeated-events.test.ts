import { describe, expect, it } from 'vitest';
import { RepeatedEvents } from '../../src/story/repeated-events.ts';
import type { EventFact } from '../../src/story/situation.ts';

const event = (count: number, more: Partial<EventFact> = {}): EventFact => ({
  uid: 'e-1',
  at: 0,
  reason: 'BackOff',
  message: 'Back-off restarting failed container\n',
  count,
  who: 'kubelet',
  container: '',
  isWarning: true,
  about: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u-1' },
  ...more,
});

describe('an Event of a story', () => {
  it('that repeats is news again only when its number has doubled', () => {
    const repeats = new RepeatedEvents();
    const news = [1, 2, 3, 4, 7, 8, 15, 16].filter((count) => repeats.newsOf(event(count)) !== undefined);
    expect(news).toEqual([1, 2, 4, 8, 16]);
  });

  it('says its number from the second time on', () => {
    const repeats = new RepeatedEvents();
    expect(repeats.newsOf(event(1))).toBe('BackOff: Back-off restarting failed container');
    expect(repeats.newsOf(event(5))).toBe('BackOff: Back-off restarting failed container (5 times)');
  });

  it('is counted together with other Events of the same text about the same object, and with no other one', () => {
    const repeats = new RepeatedEvents();
    repeats.newsOf(event(2));
    expect(repeats.newsOf(event(1, { uid: 'e-2' }))).toBeUndefined(); // 3 times in all
    expect(repeats.newsOf(event(2, { uid: 'e-2' }))).toContain('(4 times)');
    const others = [
      { reason: 'Failed' },
      { message: 'another' },
      { about: { kind: 'Pod', namespace: 'shop', name: 'web-2', uid: 'u-2' } },
      { about: { kind: 'Pod', namespace: 'bank', name: 'web-1', uid: 'u-3' } },
      { about: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'u-4' } },
    ];
    for (const [i, other] of others.entries())
      expect(repeats.newsOf(event(1, { uid: `o-${i}`, ...other })), JSON.stringify(other)).not.toContain('times');
  });

  it.each(['Scheduled', 'Created', 'Started'])('%s is no news about a pod, whose state says it', (reason) => {
    const repeats = new RepeatedEvents();
    expect(repeats.newsOf(event(1, { reason }))).toBeUndefined();
    const about = { kind: 'Job', namespace: 'shop', name: 'j', uid: 'u-9' };
    expect(repeats.newsOf(event(1, { reason, about }))).toContain(reason);
  });
});
