import { describe, expect, it } from 'vitest';
import type { WatchFault } from '../../../src/informer/watch/watch-fault.ts';
import {
  decide,
  type Outcome,
  start,
  startAt,
  type WatchEnding,
  type WatchState,
  type WatchStep,
} from '../../../src/informer/watch/watch-machine.ts';

const stream = { streaming: true };
const list = { streaming: false };
const past = { hasty: false, wasEmpty: false, strikes: 0, misses: 0, isFresh: true };
const grown = { ...past, isFresh: false };
const long = { events: 3, ms: 60_000 };
const empty = { events: 0, ms: 60_000 };
const brief = { events: 3, ms: 10 };
const nothing = { events: 0, ms: 10 };
const one = { events: 1, ms: 10 };

const streaming = (since?: string, tries = 0): WatchState => ({ kind: 'streaming', since, tries });
const listing = (since?: string): WatchState => ({ kind: 'listing', since });
const listed = (since: string, more: object = {}): WatchState => ({ kind: 'listed', since, past, ...more });
const following = (since: string, more: object = {}): WatchState => ({
  kind: 'following',
  since,
  past: { ...past, ...more },
});
const probing = (since: string, more: object = {}): WatchState => ({
  kind: 'probing',
  since,
  after: 'missing',
  past: { ...past, ...more },
});
const merging = (since: string, after: WatchEnding = 'changed'): WatchState => ({
  kind: 'merging',
  since,
  after,
  past: grown,
});
const verifying = (since: string, after: WatchEnding, more: object = {}): WatchState => ({
  kind: 'verifying',
  since,
  after,
  past: { ...past, ...more },
});
/** Back at a version, after a stream that brought events. */
const back = (since: string, after: WatchEnding, more: object = {}): WatchState =>
  listed(since, { after, past: { ...grown, ...more } });

const ended = (at: string, life = long): Outcome => ({ kind: 'ended', at, life });
const failed = (fault: WatchFault, at = '5', life = long, more: object = {}): Outcome => ({
  kind: 'failed',
  at,
  fault,
  error: fault,
  life,
  ...more,
});

type Row = [
  state: WatchState,
  outcome: Outcome,
  next: WatchState,
  pause: WatchStep['pause'],
  report: WatchStep['report'],
  why: WatchStep['why'],
];

const rows: Row[] = [
  // streaming list
  [streaming(), { kind: 'synced', at: '9' }, following('9'), 'none', 'none', 'ok'],
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
  [streaming('5'), ended('5', empty), streaming('5', 1), 'backoff', 'log', 'closed'],
  [streaming('5', 1), ended('5', long), streaming('5', 2), 'backoff', 'log', 'closed'],
  [streaming('5', 3), ended('5', long), streaming('5', 4), 'backoff', 'log', 'closed'],
  [streaming('5', 4), ended('5', long), listing('5'), 'none', 'log', 'closed'],
  [streaming('5'), ended('5', one), streaming('5', 1), 'none', 'log', 'closed'],
  [streaming('5'), failed('broken', '5', long), streaming('5', 1), 'none', 'log', 'broken'],
  // LIST
  [listing(), { kind: 'synced', at: '9' }, listed('9'), 'none', 'none', 'ok'],
  [listing('5'), failed('gone'), listing(''), 'none', 'log', 'gone'],
  [listing(), failed('too-large'), listing(''), 'none', 'log', 'too-large'],
  [listing(''), failed('gone'), streaming(''), 'backoff', 'handler', 'gone'],
  [listing('5'), failed('throttled'), streaming('5'), 'backoff', 'handler', 'throttled'],
  [listing('5'), failed('connection'), streaming('5'), 'backoff', 'handler', 'connection'],
  [listing(), failed('other'), streaming(), 'backoff', 'handler', 'other'],
  // opening a watch
  [listed('5'), { kind: 'opened' }, following('5'), 'none', 'none', 'ok'],
  [listed('5'), failed('connection'), listed('5', { after: 'connection' }), 'backoff', 'log', 'connection'],
  [listed('5', { after: 'idle' }), failed('throttled'), listed('5', { after: 'idle' }), 'backoff', 'log', 'throttled'],
  [
    listed('5', { after: 'closed' }),
    failed('connection'),
    listed('5', { after: 'connection' }),
    'backoff',
    'log',
    'connection',
  ],
  [listed('5', { after: 'closed' }), { kind: 'opened' }, following('5'), 'none', 'none', 'ok'],
  [listed('5', { after: 'connection' }), { kind: 'opened' }, verifying('5', 'connection'), 'none', 'none', 'ok'],
  [listed('5'), failed('gone'), streaming('5'), 'backoff', 'handler', 'gone'],
  [listed('5', { after: 'closed' }), failed('gone'), streaming('5'), 'none', 'handler', 'gone'],
  [listed('5', { after: 'connection' }), failed('too-large'), streaming('5'), 'none', 'handler', 'too-large'],
  [listed('5'), failed('invalid'), streaming('5'), 'backoff', 'handler', 'invalid'],
  [listed('5'), failed('internal'), listed('5', { after: 'internal' }), 'backoff', 'handler', 'internal'],
  [listed('5'), failed('other'), listed('5', { after: 'other' }), 'backoff', 'handler', 'other'],
  [listed('5'), failed('missing'), probing('5'), 'none', 'handler', 'missing'],
  // a version that was stored before the process began
  [startAt('5'), { kind: 'opened' }, verifying('5', 'restart', grown), 'none', 'none', 'ok'],
  [startAt('5'), failed('gone'), streaming(''), 'none', 'log', 'gone'],
  [startAt('5'), failed('too-large'), streaming(''), 'none', 'log', 'too-large'],
  [startAt('5'), failed('invalid'), streaming(''), 'none', 'log', 'invalid'],
  [startAt('5'), failed('connection'), startAt('5'), 'backoff', 'log', 'connection'],
  // checking whether the server's history is still the same
  [verifying('5', 'connection'), { kind: 'verified' }, following('5'), 'none', 'none', 'ok'],
  [verifying('5', 'connection'), failed('connection'), following('5'), 'none', 'none', 'ok'],
  [verifying('5', 'connection'), failed('replaced'), streaming(''), 'none', 'log', 'replaced'],
  [verifying('5', 'connection'), failed('moved'), streaming(''), 'none', 'log', 'moved'],
  [verifying('5', 'connection'), failed('too-large'), streaming(''), 'none', 'log', 'too-large'],
  [verifying('5', 'connection'), failed('gone'), streaming(''), 'none', 'log', 'gone'],
  [listed('5', { after: 'connection' }), failed('moved'), streaming(''), 'none', 'log', 'moved'],
  // the source has other shards now
  [listing(''), failed('changed'), streaming(''), 'none', 'log', 'changed'],
  [streaming('5'), failed('changed'), streaming(''), 'none', 'log', 'changed'],
  [listed('5', { after: 'restart' }), failed('changed'), streaming(''), 'none', 'log', 'changed'],
  [listed('5'), failed('changed'), merging('5'), 'none', 'log', 'changed'],
  [following('5'), failed('changed', '8'), merging('8'), 'none', 'log', 'changed'],
  [merging('8'), { kind: 'merged' }, back('8', 'changed'), 'none', 'none', 'ok'],
  [merging('8'), failed('changed', '8'), merging('8'), 'none', 'log', 'changed'],
  [merging('8'), failed('gone', '8'), streaming(''), 'none', 'log', 'changed'],
  // and the history is still to be checked
  [listed('5', { after: 'broken' }), failed('changed'), merging('5', 'broken'), 'none', 'log', 'changed'],
  [verifying('5', 'restart'), failed('changed'), merging('5', 'restart'), 'none', 'log', 'changed'],
  [merging('8', 'broken'), { kind: 'merged' }, back('8', 'broken'), 'none', 'none', 'ok'],
  [merging('8', 'broken'), failed('changed', '8'), merging('8', 'broken'), 'none', 'log', 'changed'],
  [back('8', 'broken'), { kind: 'opened' }, verifying('8', 'broken', grown), 'none', 'none', 'ok'],
  // a changed collection
  [back('8', 'changed'), { kind: 'opened' }, following('8', grown), 'none', 'none', 'ok'],
  [back('8', 'changed'), failed('gone', '8'), streaming('8'), 'none', 'handler', 'gone'],
  [back('8', 'changed'), failed('connection', '8'), back('8', 'connection'), 'backoff', 'log', 'connection'],
  // checking whether the collection still exists
  [probing('5', { misses: 3 }), { kind: 'probed' }, listed('5', { after: 'missing' }), 'backoff', 'none', 'missing'],
  [
    probing('5', { misses: 3 }),
    failed('missing'),
    listed('5', { after: 'missing', past: { ...past, misses: 4 } }),
    'backoff',
    'none',
    'missing',
  ],
  [probing('5', { misses: 4 }), failed('missing'), streaming('5'), 'backoff', 'log', 'missing'],
  [
    probing('5', { misses: 4 }),
    failed('other'),
    listed('5', { after: 'missing', past: { ...past, misses: 4 } }),
    'backoff',
    'none',
    'other',
  ],
  // reading a stream
  [following('5'), ended('8'), back('8', 'closed'), 'none', 'none', 'closed'],
  [following('5'), ended('8', empty), listed('8', { after: 'closed' }), 'none', 'none', 'closed'],
  [following('5'), ended('8', { events: 0, ms: 1000 }), listed('8', { after: 'closed' }), 'none', 'none', 'closed'],
  [following('5'), ended('8', brief), back('8', 'closed', { hasty: true }), 'none', 'none', 'closed'],
  [
    following('5', { hasty: true }),
    ended('8', brief),
    back('8', 'closed', { hasty: true }),
    'backoff',
    'none',
    'closed',
  ],
  [
    following('5'),
    ended('5', nothing),
    listed('5', { after: 'very-short', past: { ...past, hasty: true, wasEmpty: true } }),
    'none',
    'log',
    'very-short',
  ],
  [
    following('5', { hasty: true }),
    ended('5', nothing),
    listed('5', { after: 'very-short', past: { ...past, hasty: true, wasEmpty: true } }),
    'backoff',
    'log',
    'very-short',
  ],
  [following('5', { wasEmpty: true }), ended('5', nothing), streaming(''), 'backoff', 'log', 'very-short'],
  [
    following('5', { wasEmpty: true }),
    ended('8', brief),
    back('8', 'closed', { hasty: true }),
    'none',
    'none',
    'closed',
  ],
  [
    following('5', { wasEmpty: true }),
    ended('5', { events: 0, ms: 4999 }),
    listed('5', { after: 'closed', past: { ...past, wasEmpty: true } }),
    'none',
    'none',
    'closed',
  ],
  [
    following('5', { wasEmpty: true }),
    ended('5', { events: 0, ms: 5000 }),
    listed('5', { after: 'closed', past }),
    'none',
    'none',
    'closed',
  ],
  [
    following('5'),
    failed('connection', '5', nothing),
    listed('5', { after: 'connection', past: { ...past, hasty: true } }),
    'none',
    'log',
    'connection',
  ],
  [
    following('5', { wasEmpty: true }),
    failed('connection', '5', nothing),
    listed('5', { after: 'connection', past: { ...past, hasty: true, wasEmpty: true } }),
    'none',
    'log',
    'connection',
  ],
  [following('5'), failed('gone', '8'), streaming('8'), 'none', 'log', 'gone'],
  [following('5'), failed('gone', '5', nothing), streaming('5'), 'backoff', 'log', 'gone'],
  [following('5'), failed('gone', '5', one), streaming('5'), 'none', 'log', 'gone'],
  [following('5', { isFresh: false }), failed('gone', '5', nothing), streaming('5'), 'none', 'log', 'gone'],
  [following('5'), failed('replaced', '8'), streaming(''), 'none', 'log', 'replaced'],
  [following('5'), failed('moved', '8'), streaming(''), 'none', 'log', 'moved'],
  [following('5'), failed('drift', '8'), streaming(''), 'none', 'log', 'drift'],
  [following('5'), failed('resync', '8'), streaming('8'), 'backoff', 'log', 'resync'],
  [following('5'), failed('throttled', '8'), back('8', 'throttled'), 'backoff', 'log', 'throttled'],
  [following('5'), failed('connection', '8'), back('8', 'connection'), 'none', 'log', 'connection'],
  [following('5'), failed('broken', '8'), back('8', 'broken'), 'none', 'log', 'broken'],
  [following('5'), failed('idle', '8', long), back('8', 'idle'), 'none', 'log', 'idle'],
  [following('5'), failed('internal', '8'), back('8', 'internal', { strikes: 1 }), 'backoff', 'log', 'internal'],
  [
    following('5', { strikes: 1 }),
    failed('internal', '8'),
    back('8', 'internal', { strikes: 1 }),
    'backoff',
    'log',
    'internal',
  ],
  [following('5', { strikes: 1 }), failed('internal', '5', nothing), streaming('5'), 'backoff', 'log', 'internal'],
  [
    following('5', { strikes: 1 }),
    failed('internal', '8', { events: 1, ms: 60_000 }),
    back('8', 'internal', { strikes: 1 }),
    'backoff',
    'log',
    'internal',
  ],
  [following('5', { strikes: 1 }), ended('8'), back('8', 'closed', { strikes: 0 }), 'none', 'none', 'closed'],
  [
    following('5'),
    failed('internal', '8', long, { internalRetry: true }),
    back('8', 'internal'),
    'none',
    'log',
    'internal',
  ],
  [
    following('5'),
    failed('other', '5', empty),
    listed('5', { after: 'other', past: { ...past, strikes: 1 } }),
    'backoff',
    'log',
    'other',
  ],
  [following('5', { strikes: 1 }), failed('other', '5', empty), streaming('5'), 'backoff', 'log', 'other'],
];

describe('decide', () => {
  it.each(rows.map((row) => [label(row), row] as const))('%s', (_, [state, outcome, next, pause, report, why]) => {
    expect(decide(state, outcome, stream)).toEqual({ next, pause, report, why });
  });

  it('starts attempts with LIST where there are no streaming lists [WL-13]', () => {
    expect(start(undefined, stream)).toEqual(streaming());
    expect(start('5', list)).toEqual(listing('5'));
    expect(decide(following('5'), failed('gone', '8'), list).next).toEqual(listing('8'));
  });

  it('has an answer for every pair of state and outcome, also impossible ones', () => {
    const states = [
      streaming(),
      listing(),
      merging('5'),
      listed('5'),
      verifying('5', 'idle'),
      following('5'),
      probing('5'),
    ];
    // the compiler refuses this list if a fault is missing
    const named: Record<WatchFault, true> = {
      gone: true,
      'too-large': true,
      replaced: true,
      moved: true,
      changed: true,
      throttled: true,
      connection: true,
      broken: true,
      idle: true,
      internal: true,
      missing: true,
      invalid: true,
      drift: true,
      resync: true,
      other: true,
    };
    const faults = Object.keys(named) as WatchFault[];
    const outcomes: Outcome[] = [
      { kind: 'synced', at: '9' },
      { kind: 'opened' },
      { kind: 'merged' },
      { kind: 'probed' },
      { kind: 'verified' },
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
