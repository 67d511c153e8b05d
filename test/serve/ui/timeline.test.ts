import { describe, expect, it } from 'vitest';
import type { ContinuityEvent } from '../../../src/informer/watch/continuity-ledger.ts';
import { TimelineLane } from '../../../src/serve/ui/timeline.ts';

const begun = { connection: { state: 'connecting', since: 100 } } as const;
const refused = new Error('connect ECONNREFUSED');
const reconnection = { since: '9', why: 'connection', disconnectedAt: 300, reconnectedAt: 500, downMs: 200 } as const;

function laneAfter(...events: ContinuityEvent[]) {
  const lane = new TimelineLane('v1/pods', undefined, begun);
  for (const event of events) lane.add(event);
  return lane.lane;
}

const SYNCED: ContinuityEvent = { kind: 'synced', at: 200, resourceVersion: '5', objects: 3 };
const LOST: ContinuityEvent = {
  kind: 'disconnected',
  at: 320,
  from: '9',
  why: 'connection',
  error: refused,
  disconnectedAt: 300,
};

describe('a time line', () => {
  it('is connected from the initial sync on', () => {
    expect(laneAfter(SYNCED).spans).toEqual([
      { state: 'connecting', from: 100, to: 200 },
      { state: 'connected', from: 200 },
    ]);
    expect(laneAfter(SYNCED).marks).toEqual([{ at: 200, kind: 'synced', text: 'synced 3 objects at 5' }]);
  });

  it('has an outage from the moment the stream ended, not from when it was noticed, with its reason', () => {
    expect(laneAfter(SYNCED, LOST).spans).toEqual([
      { state: 'connecting', from: 100, to: 200 },
      { state: 'connected', from: 200, to: 300 },
      { state: 'outage', from: 300, why: 'connection: connect ECONNREFUSED' },
    ]);
  });

  it('has a mark for a state of an earlier run, and for each comparison with the server', () => {
    const events = [
      { kind: 'restored', at: 150, objects: 1, resourceVersion: '4' },
      { kind: 'verified', at: 250 },
      { kind: 'waiting', at: 260, waitMs: 5000 },
      { kind: 'fault', at: 270, fault: 'other', error: new Error('odd \u001b[1m') },
    ] as unknown as ContinuityEvent[];
    const lane = laneAfter(...events);
    expect(JSON.stringify(lane)).not.toContain('\\u001b');
    expect(lane).toMatchObject({
      spans: [{ state: 'connecting', from: 100 }],
      marks: [
        { at: 150, kind: 'synced', text: 'began with 1 object of an earlier run at 4' },
        { at: 250, kind: 'synced', text: 'compared with the server: nothing differs' },
        { at: 260, kind: 'waiting', text: 'the server asks to wait; next attempt in 5s' },
        { at: 270, kind: 'fault', text: expect.stringMatching(/^other: odd /) },
      ],
    });
  });

  it('has no gap when the watch is resumed', () => {
    const { spans, marks } = laneAfter(SYNCED, LOST, {
      kind: 'connected',
      at: 510,
      by: 'resume',
      proven: true,
      ...reconnection,
    });
    expect(spans.map(({ state, from, to }) => [state, from, to]).slice(2)).toEqual([
      ['outage', 300, 500],
      ['connected', 500, undefined],
    ]);
    expect(marks.at(-1)).toEqual({
      at: 500,
      kind: 'connected',
      text: 'connected again after 0s, the watch continues at 9',
    });
  });

  it('has a gap from the end of the last connection to the new list', () => {
    const open = laneAfter(SYNCED, LOST, { kind: 'gap', at: 400, from: '9', why: 'gone' });
    expect(open.spans.at(-1)).toEqual({ state: 'gap', from: 300, why: 'gone' });
    const closed = laneAfter(
      SYNCED,
      LOST,
      { kind: 'gap', at: 400, from: '9', why: 'gone' },
      { kind: 'relisted', at: 450, from: '9', resourceVersion: '30', objects: 4, why: 'gone' },
      { kind: 'connected', at: 510, by: 'relist', proven: false, ...reconnection },
    );
    expect(closed.spans.filter(({ state }) => state === 'gap')).toEqual([
      { state: 'gap', from: 300, to: 450, why: 'gone' },
    ]);
    expect(closed.spans.at(-1)).toEqual({ state: 'connected', from: 500 });
    expect(closed.marks.map(({ kind }) => kind)).toEqual(['synced', 'outage', 'gap', 'relisted', 'connected']);
  });

  it('begins with the state that a source has when it is added late', () => {
    const connected = new TimelineLane('v1/pods', 'shop', { connection: { state: 'connected', since: 50 } }).lane;
    expect(connected).toEqual({
      type: 'v1/pods',
      scope: 'shop',
      spans: [{ state: 'connected', from: 50 }],
      marks: [],
    });
  });

  it('has what the ledger of a source recorded before', () => {
    const stretch = { bookmarks: 0, from: '1', to: '5' } as const;
    const { spans, marks } = new TimelineLane('v1/pods', undefined, {
      connection: { state: 'connected', since: 9000 },
      stretches: [
        { ...stretch, by: 'initial', events: 3, at: 1000, until: 1000, ended: undefined },
        { ...stretch, by: 'stream', events: 7, at: 1001, until: 4000, ended: 'closed' },
        { ...stretch, by: 'resumed', events: 0, at: 4010, until: 5000, ended: 'connection' },
        { ...stretch, by: 'relist', events: 4, at: 8990, until: 8990, ended: undefined },
        { ...stretch, by: 'stream', events: 0, at: 9000, until: undefined, ended: undefined },
      ],
      gaps: [{ from: '5', to: '9', why: 'gone', at: 8900 }],
    }).lane;
    expect(spans).toEqual([
      { state: 'connected', from: 1000, to: 5000 },
      { state: 'outage', from: 5000, to: 8990, why: 'connection' },
      { state: 'connected', from: 8990 },
      { state: 'gap', from: 5000, to: 8990, why: 'gone' },
    ]);
    expect(marks.map(({ at, kind }) => [at, kind])).toEqual([
      [1000, 'synced'],
      [8990, 'relisted'],
      [8900, 'gap'],
    ]);
  });

  it('has no outage between a list and its watch, however long the watch took to open', () => {
    const stretch = { bookmarks: 0, from: '1', to: '5', events: 0 } as const;
    const { spans } = new TimelineLane('v1/pods', undefined, {
      connection: { state: 'connected', since: 30_000 },
      stretches: [
        { ...stretch, by: 'initial', at: 1000, until: 1000, ended: 'closed' },
        { ...stretch, by: 'stream', at: 10_000, until: 20_000, ended: 'closed' },
        { ...stretch, by: 'relist', at: 20_500, until: 20_500, ended: 'closed' },
        { ...stretch, by: 'stream', at: 30_000, until: undefined, ended: undefined },
      ],
    }).lane;
    expect(spans).toEqual([{ state: 'connected', from: 1000 }]);
  });

  it('keeps a bounded number of parts, the latest ones', () => {
    const lane = new TimelineLane('v1/pods', undefined, begun);
    lane.add(SYNCED);
    for (let i = 0; i < 2000; i++) {
      lane.add({ ...LOST, disconnectedAt: 1000 + 2 * i });
      lane.add({ kind: 'connected', at: 0, by: 'resume', proven: true, ...reconnection, reconnectedAt: 1001 + 2 * i });
    }
    expect(lane.lane.spans).toHaveLength(300);
    expect(lane.lane.marks).toHaveLength(300);
    expect(lane.lane.spans.at(-1)).toEqual({ state: 'connected', from: 4999 });
  });

  it('shows control characters of an error as text', () => {
    const { spans } = laneAfter(SYNCED, { ...LOST, error: new Error('\u001b[31mred\u202e') });
    expect(spans.at(-1)?.why).toBe('connection: ^[[31mred\\u202e');
  });
});

describe('a time line of what was recorded before', () => {
  const stretch = { bookmarks: 0, from: '1', to: '5', events: 3, by: 'stream', ended: 'closed' } as const;

  it.each([
    [1000, ['connected']],
    [1001, ['connected', 'outage', 'connected']],
  ])('after a pause of %i ms between two watches has the spans %j', (pauseMs, states) => {
    const { spans } = new TimelineLane('v1/pods', undefined, {
      connection: { state: 'connected', since: 9000 },
      stretches: [
        { ...stretch, at: 1000, until: 2000 },
        { ...stretch, at: 2000 + pauseMs, until: undefined, ended: undefined },
      ],
    }).lane;
    expect(spans.map(({ state }) => state)).toEqual(states);
  });

  it('ends with the outage that lasts, with its reason from the connection', () => {
    const { spans, marks } = new TimelineLane('v1/pods', '', {
      connection: { state: 'disconnected', since: 2500, why: 'connection', error: refused },
      stretches: [
        { ...stretch, by: 'initial', events: 1, at: 1000, until: 1000, ended: undefined },
        { ...stretch, by: 'relist', events: 2, at: 1500, until: 1500, ended: undefined },
        { ...stretch, at: 1500, until: 2000 },
      ],
      gaps: [{ from: '5', to: undefined, why: 'gone', at: 2600 }],
    } as unknown as ConstructorParameters<typeof TimelineLane>[2]).lane;
    expect(spans).toEqual([
      { state: 'connected', from: 1000, to: 2500 },
      { state: 'gap', from: 2600, why: 'gone' },
      { state: 'outage', from: 2500, why: 'connection: connect ECONNREFUSED' },
    ]);
    expect(marks.map(({ text }) => text)).toEqual([
      'synced 1 object at 5',
      'listed again: 2 objects at 5',
      'changes after 5 may be missing (gone)',
    ]);
  });
});

describe('the marks of a time line', () => {
  const RESUMED = { kind: 'resumed', at: 510, proven: true, ...reconnection } as unknown as ContinuityEvent;
  it.each<[string, ContinuityEvent, number]>([
    ['connection lost: connection: connect ECONNREFUSED', LOST, 300],
    ['watch resumed at 9 (connection); nothing was missed', RESUMED, 500],
    ['watch resumed at 9 (connection)', { ...RESUMED, proven: false } as ContinuityEvent, 500],
    [
      'connected again after 0s, with a new list',
      { kind: 'connected', at: 510, by: 'relist', proven: false, ...reconnection },
      500,
    ],
    ['changes after 9 may be missing (gone)', { kind: 'gap', at: 400, from: '9', why: 'gone' }, 400],
    [
      'listed again: 1 object at 30 (gone); changes since 9 show as their outcome',
      { kind: 'relisted', at: 450, from: '9', resourceVersion: '30', objects: 1, why: 'gone' },
      450,
    ],
  ])('say: %s', (text, event, at) => {
    const lane = new TimelineLane('v1/pods', undefined, begun);
    lane.add(event);
    expect([lane.lane.marks.map((mark) => [mark.at, mark.text]), lane.version]).toEqual([[[at, text]], 1]);
  });
});

it('a gap while connected begins where it is noticed; a second one before the list is the same gap', () => {
  const gap: ContinuityEvent = { kind: 'gap', at: 400, from: '9', why: 'gone' };
  const { spans } = laneAfter(
    SYNCED,
    gap,
    { ...gap, at: 420, why: 'expired' as never },
    { kind: 'relisted', at: 450, from: '9', resourceVersion: '30', objects: 4, why: 'gone' },
    { ...gap, at: 600 },
  );
  expect(spans.filter(({ state }) => state === 'gap')).toEqual([
    { state: 'gap', from: 400, to: 450, why: 'gone' },
    { state: 'gap', from: 600, why: 'gone' },
  ]);
});
