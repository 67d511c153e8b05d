import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/informer/watch-fault.ts';
import { decide, type Outcome, type Step, start, type WatchState } from '../../src/informer/watch-machine.ts';

const stream = { streaming: true };
const list = { streaming: false };
const past = { hasty: false, silences: 0 };
const long = { events: 3, ms: 60_000 };
const empty = { events: 0, ms: 60_000 };
const brief = { events: 3, ms: 10 };
const nothing = { events: 0, ms: 10 };

const streaming = (since?: string, tries = 0): WatchState => ({ kind: 'streaming', since, tries });
const listing = (since?: string): WatchState => ({ kind: 'listing', since });
const listed = (since: string, more: object = {}): WatchState => ({ kind: 'listed', since, past, ...more });
const following = (since: string, more: object = {}): WatchState => ({ kind: 'following', since, past: { ...past, ...more } });
const probing = (since: string): WatchState => ({ kind: 'probing', since });

const ended = (at: string, life = long): Outcome => ({ kind: 'ended', at, life });
const failed = (fault: Fault, at = '5', life = long, more: object = {}): Outcome => ({
  kind: 'failed',
  at,
  fault,
  error: fault,
  life,
  ...more,
});

type Row = [state: WatchState, outcome: Outcome, next: WatchState, pause: Step['pause'], tell: Step['tell'], why: Step['why']];

const rows: Row[] = [
  // streaming list
  [streaming(), { kind: 'synced', at: '9' }, following('9'), 'none', 'nobody', 'ok'],
  [streaming('5'), failed('throttled'), streaming('5'), 'backoff', 'log', 'throttled'],
  [streaming('5'), failed('connection'), streaming('5'), 'backoff', 'log', 'connection'],
  [streaming('5'), failed('gone'), streaming(''), 'none', 'log', 'gone'],
  [streaming('5'), failed('too-large'), streaming(''), 'none', 'log', 'too-large'],
  [streaming(''), failed('gone'), streaming(''), 'backoff', 'log', 'gone'],
  [streaming(), failed('other'), listing(), 'none', 'log', 'other'],
  [streaming('5'), failed('internal'), listing('5'), 'none', 'log', 'internal'],
  [streaming('5'), failed('idle'), listing('5'), 'none', 'log', 'idle'],
  [streaming(), ended('', nothing), listing(), 'none', 'log', 'very-short'],
  [streaming('5'), ended('5', long), streaming('5', 1), 'none', 'log', 'closed'],
  [streaming('5', 1), ended('5', long), streaming('5', 2), 'backoff', 'log', 'closed'],
  [streaming('5', 4), ended('5', long), listing('5'), 'none', 'log', 'closed'],
  [streaming('5'), failed('broken', '5', long), streaming('5', 1), 'none', 'log', 'broken'],
  // LIST
  [listing(), { kind: 'synced', at: '9' }, listed('9'), 'none', 'nobody', 'ok'],
  [listing('5'), failed('gone'), listing(''), 'none', 'log', 'gone'],
  [listing(), failed('too-large'), listing(''), 'none', 'log', 'too-large'],
  [listing(''), failed('gone'), streaming(''), 'backoff', 'handler', 'gone'],
  [listing('5'), failed('throttled'), streaming('5'), 'backoff', 'handler', 'throttled'],
  [listing('5'), failed('connection'), streaming('5'), 'backoff', 'handler', 'connection'],
  [listing(), failed('other'), streaming(), 'backoff', 'handler', 'other'],
  // opening a watch
  [listed('5'), { kind: 'opened' }, following('5'), 'none', 'nobody', 'ok'],
  [listed('5'), failed('connection'), listed('5', { after: 'connection' }), 'backoff', 'log', 'connection'],
  [listed('5', { after: 'idle' }), failed('throttled'), listed('5', { after: 'idle' }), 'backoff', 'log', 'throttled'],
  [listed('5'), failed('gone'), streaming('5'), 'backoff', 'handler', 'gone'],
  [listed('5'), failed('internal'), streaming('5'), 'backoff', 'handler', 'internal'],
  [listed('5'), failed('other'), streaming('5'), 'backoff', 'handler', 'other'],
  // reading it
  [following('5'), ended('8'), listed('8', { after: 'closed' }), 'none', 'nobody', 'closed'],
  [following('5'), ended('8', empty), listed('8', { after: 'closed' }), 'none', 'nobody', 'closed'],
  [following('5'), ended('8', brief), listed('8', { after: 'closed', past: { hasty: true, silences: 0 } }), 'none', 'nobody', 'closed'],
  [
    following('5', { hasty: true }),
    ended('8', brief),
    listed('8', { after: 'closed', past: { hasty: true, silences: 0 } }),
    'backoff',
    'nobody',
    'closed',
  ],
  [following('5'), ended('5', nothing), streaming('5'), 'backoff', 'log', 'very-short'],
  [following('5'), failed('gone', '8'), streaming('8'), 'backoff', 'log', 'gone'],
  [following('5'), failed('throttled', '8'), listed('8', { after: 'throttled' }), 'backoff', 'log', 'throttled'],
  [following('5'), failed('connection', '8'), listed('8', { after: 'connection' }), 'none', 'log', 'connection'],
  [following('5'), failed('broken', '8'), listed('8', { after: 'broken' }), 'none', 'log', 'broken'],
  [following('5'), failed('internal', '8'), streaming('8'), 'backoff', 'log', 'internal'],
  [following('5'), failed('internal', '8', long, { internalRetry: true }), listed('8', { after: 'internal' }), 'none', 'log', 'internal'],
  [following('5'), failed('other', '8'), streaming('8'), 'backoff', 'log', 'other'],
  [following('5'), failed('idle', '8', long), listed('8', { after: 'idle', past: { hasty: false, silences: 1 } }), 'none', 'log', 'idle'],
  [following('5'), failed('idle', '5', empty), listed('5', { after: 'idle', past: { hasty: false, silences: 1 } }), 'none', 'log', 'idle'],
  [following('5', { silences: 1 }), failed('idle', '5', empty), probing('5'), 'none', 'log', 'idle'],
  [
    following('5', { silences: 1 }),
    failed('idle', '8', long),
    listed('8', { after: 'idle', past: { hasty: false, silences: 1 } }),
    'none',
    'log',
    'idle',
  ],
  // asking whether the history reaches so far
  [probing('5'), { kind: 'probed' }, listed('5', { after: 'idle' }), 'none', 'nobody', 'ok'],
  [probing('5'), failed('too-large'), streaming(''), 'none', 'log', 'too-large'],
  [probing('5'), failed('gone'), streaming(''), 'none', 'log', 'gone'],
  [probing('5'), failed('connection'), listed('5', { after: 'idle' }), 'none', 'nobody', 'ok'],
];

describe('decide', () => {
  it.each(rows.map((row) => [label(row), row] as const))('%s', (_, [state, outcome, next, pause, tell, why]) => {
    expect(decide(state, outcome, stream)).toEqual({ next, pause, tell, why });
  });

  it('begins attempts with LIST where streaming lists are not to be had [WL-13]', () => {
    expect(start(undefined, stream)).toEqual(streaming());
    expect(start('5', list)).toEqual(listing('5'));
    expect(decide(following('5'), failed('gone', '8'), list).next).toEqual(listing('8'));
  });

  it('has an answer for every state and outcome, even those that cannot meet', () => {
    const states = [streaming(), listing(), listed('5'), following('5'), probing('5')];
    const faults: Fault[] = ['gone', 'too-large', 'throttled', 'connection', 'broken', 'idle', 'internal', 'other'];
    const outcomes: Outcome[] = [
      { kind: 'synced', at: '9' },
      { kind: 'opened' },
      { kind: 'probed' },
      ended('9'),
      ended('9', nothing),
      ...faults.map((f) => failed(f)),
    ];
    const kinds = new Set(states.map((s) => s.kind));
    for (const state of states) {
      for (const outcome of outcomes) {
        const frozen = JSON.stringify([state, outcome]);
        const step = decide(state, outcome, stream);
        expect(kinds).toContain(step.next.kind);
        expect(JSON.stringify([state, outcome])).toBe(frozen);
      }
    }
  });
});

function label([state, outcome, next, pause]: Row): string {
  const what = outcome.kind === 'failed' ? outcome.fault : outcome.kind;
  return `${state.kind} ${'since' in state ? (state.since ?? 'never') : ''} + ${what} → ${next.kind}${pause === 'backoff' ? ' after a pause' : ''}`;
}
