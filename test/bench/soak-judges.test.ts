import { describe, expect, it } from 'vitest';
import { type Outage, outageProblems } from '../../bench/soak/outages.ts';
import { judgeRuns, type RunRecord } from '../../bench/soak/run-journal.ts';
import { frameProblems, type StreamRecord, TypeJudge } from '../../bench/soak/stream-judge.ts';
import { type ObjectState, type Transition, TypeTruth } from '../../bench/soak/truth.ts';
import { usageOf, usageProblems } from '../../bench/soak/usage.ts';
import { linesOf, RowReader, StreamReader } from '../../bench/soak/watchers.ts';

const GVR = 'v1/configmaps';

/** What a server made: `A a 1`, `M a 2`, `D a 3`; a number of a history before a colon, as in `1: A a 1`. */
function truthOf(...texts: string[]): TypeTruth {
  const truth = new TypeTruth(GVR);
  const states = new Map<string, ObjectState>();
  let epoch = 0;
  truth.begin({ epoch, gvr: GVR, states: new Map() });
  for (const text of texts) {
    const [, history, type = '', key = '', version = ''] = /^(?:(\d): )?([AMD]) (\w) (\d+)$/.exec(text) ?? [];
    if (history !== undefined && Number(history) !== epoch) {
      epoch = Number(history);
      states.clear();
      truth.begin({ epoch, gvr: GVR, states: new Map() });
    }
    truth.add({
      epoch,
      gvr: GVR,
      key,
      uid: `${key}${epoch}`,
      version: Number(version),
      type: TYPES[type] as Transition['type'],
      mark: type === 'D' ? undefined : `${epoch}-${version}`,
    });
  }
  return truth;
}

const TYPES: Record<string, Transition['type']> = { A: 'ADDED', M: 'MODIFIED', D: 'DELETED' };

/** Records of a stream: `A a 1 initial`, `synced 1`, `gap`, `relisted 5`. A `'` behind a key: of the next history. */
function stream(...texts: string[]): StreamRecord[] {
  return texts.map((text, i) => {
    const [word = '', key = '', version = '', cause = 'watch'] = text.split(' ');
    const seq = i + 1;
    if (word === 'synced') return { type: 'SYNCED', gvr: GVR, seq, resourceVersion: key };
    if (word === 'gap') return { type: 'GAP', gvr: GVR, seq, reason: 'gone' };
    if (word === 'relisted') return { type: 'RELISTED', gvr: GVR, seq, to: key };
    const epoch = key.endsWith("'") ? 1 : 0;
    const name = key.replace("'", '');
    const metadata = {
      uid: `${name}${epoch}`,
      resourceVersion: version,
      annotations: { mark: `${epoch}-${version}` },
    };
    return { type: TYPES[word] ?? word, gvr: GVR, seq, key: name, cause, object: { metadata } };
  });
}

const judged = (truth: TypeTruth, records: StreamRecord[]) => new TypeJudge(truth, records).judge();

describe('the judge of a stream', () => {
  const truth = truthOf('A a 1', 'A b 2', 'M a 3', 'D b 4', 'A b 5');
  const begin = ['A a 1 initial', 'synced 1'];

  it('finds nothing in a stream that has every change once and in order', () => {
    const verdict = judged(truth, stream(...begin, 'A b 2', 'M a 3', 'D b 4', 'A b 5'));
    expect(verdict).toEqual({ carried: 4, toldAsGap: 0, lost: 0, gaps: 0, relists: 0, problems: [] });
  });

  it.each<[string, string[], RegExp, number]>([
    ['a change that is missing', ['A b 2', 'D b 4', 'A b 5'], /1 changes from MODIFIED a at 3 .* are missing/, 1],
    ['changes that are missing at the end', ['A b 2', 'M a 3'], /2 changes from DELETED b at 4 .* before the end/, 2],
    ['a change twice', ['A b 2', 'M a 3', 'M a 3', 'D b 4', 'A b 5'], /printed before, or too late/, 0],
    ['changes in another order', ['M a 3', 'A b 2', 'D b 4', 'A b 5'], /printed before, or too late/, 1],
    ['a change that never was', ['A b 2', 'M a 9', 'M a 3', 'D b 4', 'A b 5'], /which never happened/, 0],
    ['an object that is added twice', ['A b 2', 'A a 3', 'D b 4', 'A b 5'], /but it was there already/, 1],
    ['a deletion of what is not there', ['D b 4', 'A b 5'], /but it was not there/, 2],
    ['a relist that was not reported as a gap', ['A b 2', 'relisted 2', 'M a 3', 'D b 4', 'A b 5'], /without a GAP/, 0],
    ['an event by a relist outside of a gap', ['A b 2', 'M a 3 relist', 'D b 4', 'A b 5'], /outside of a gap/, 1],
    ['a late event of the initial list', ['A b 2 initial', 'M a 3', 'D b 4', 'A b 5'], /after the initial list/, 1],
  ])('finds %s', (_, rest, problem, lost) => {
    const verdict = judged(truth, stream(...begin, ...rest));
    expect(verdict.problems.join('\n')).toMatch(problem);
    expect(verdict.lost).toBe(lost);
  });

  it('finds an initial list that is not the state at its version', () => {
    expect(judged(truth, stream('synced 1', 'A b 2', 'M a 3', 'D b 4', 'A b 5')).problems[0]).toMatch(
      'at the initial list: a is missing',
    );
  });

  it('accepts what lies in a gap that was reported, and counts it', () => {
    const records = stream(...begin, 'A b 2', 'gap', 'D b 2 relist', 'M a 3 relist', 'relisted 4', 'A b 5');
    expect(judged(truth, records)).toEqual({
      carried: 2,
      toldAsGap: 2,
      lost: 0,
      gaps: 1,
      relists: 1,
      problems: [],
    });
  });

  it('finds a relist after which the events do not add up to what the server had', () => {
    const records = stream(...begin, 'A b 2', 'gap', 'M a 3 relist', 'relisted 4', 'A b 5');
    expect(judged(truth, records).problems.join('\n')).toMatch(
      'after the relist to 4, record 6: b is there, and the server does not have it',
    );
  });

  it('finds a change after a relist that lies behind its version and is missing', () => {
    const records = stream(...begin, 'A b 2', 'gap', 'relisted 2', 'D b 4', 'A b 5');
    expect(judged(truth, records)).toMatchObject({ lost: 1 });
  });

  it('accepts an end in a gap only if the objects are those of the server', () => {
    expect(judged(truth, stream(...begin, 'A b 2', 'gap')).problems.join('\n')).toMatch('at the end');
  });

  it('distinguishes histories with the same versions', () => {
    const two = truthOf('A a 1', 'A b 2', 'M a 3', '1: A a 1', '1: A c 2', '1: M c 3');
    const right = ['D a 3 relist', 'D b 2 relist', "A a' 1 relist", "A c' 2 relist", 'relisted 2', "M c' 3"];
    expect(judged(two, stream(...begin, 'A b 2', 'M a 3', 'gap', ...right)).problems).toEqual([]);
    const first = judged(two, stream(...begin, 'A b 2', 'M a 3'));
    expect(first).toMatchObject({ lost: 3 });
  });
});

describe('the frame of a stream', () => {
  const end = { ADDED: 1, MODIFIED: 0, DELETED: 0, relists: 0 };
  const records = (...all: Partial<StreamRecord>[]) =>
    all.map((record, i) => ({ seq: i + 1, ...record }) as StreamRecord);

  it('is right with gapless numbers, and an END that counts what was printed', () => {
    const all = records({ type: 'ADDED', cause: 'watch' }, { type: 'END', exitCode: 0, summary: end });
    expect(frameProblems(all, 0)).toEqual([]);
    expect(frameProblems(all, 4)).toEqual(['END says exit code 0, and it was 4']);
  });

  it.each<[string, StreamRecord[], string]>([
    ['a number that is left out', records({ type: 'END', seq: 2, exitCode: 0, summary: end }), 'has the number 2'],
    ['a missing END', records({ type: 'ADDED' }), 'not END'],
    ['a wrong count', records({ type: 'END', exitCode: 0, summary: end }), 'END counts 1 ADDED, and 0 were printed'],
    [
      'a wrong count of relists',
      records({ type: 'RELISTED' }, { type: 'END', exitCode: 0, summary: { ...end, ADDED: 0 } }),
      'relists',
    ],
  ])('finds %s', (_, all, problem) => {
    expect(frameProblems(all, 0).join('\n')).toContain(problem);
  });
});

describe('the judge of runs', () => {
  const run = (text: string): RunRecord => {
    const [key = '', pid, what, mark, at] = text.split(' ');
    return {
      group: 'g',
      key,
      pid: Number(pid),
      run: 1,
      what: what as 'start',
      mark: mark === '-' ? null : (mark ?? ''),
      at: Number(at),
    };
  };
  const judge = (texts: string[], { marks = {}, ended = {}, seesDeletions = false } = {}) =>
    judgeRuns(texts.map(run), {
      marks: new Map(Object.entries(marks)),
      endedAt: new Map(Object.entries(ended).map(([pid, at]) => [Number(pid), Number(at)])),
      seesDeletions,
    }).problems;

  it('finds a key that runs twice at once, unless the first process had ended', () => {
    const twice = ['a 1 start x 10', 'a 2 start x 20', 'a 2 end x 30'];
    expect(judge(twice, { marks: { a: 'x' } })).toEqual(['a ran in 2 while the run of 1 was not over']);
    expect(judge(twice, { marks: { a: 'x' }, ended: { 1: 15 } })).toEqual([]);
    expect(judge(twice, { marks: { a: 'x' }, ended: { 1: 25 } })).toHaveLength(1);
  });

  it('finds a last change that no run saw, and a deletion', () => {
    const texts = ['a 1 start x 10', 'a 1 end x 20', 'b 1 start y 30', 'b 1 end y 40'];
    expect(judge(texts, { marks: { a: 'x', b: 'y' } })).toEqual([]);
    expect(judge(texts, { marks: { a: 'z', b: 'y' } })).toEqual(['a has the change z, and its last run saw x']);
    expect(judge(texts, { marks: { a: 'x' } })).toEqual([]);
    expect(judge(texts, { marks: { a: 'x' }, seesDeletions: true })).toEqual(['b is gone, and no run saw that']);
    const gone = [...texts, 'b 1 start - 50', 'b 1 end - 60'];
    expect(judge(gone, { marks: { a: 'x' }, seesDeletions: true })).toEqual([]);
  });
});

it('an outage is reported if a stream says so while it lasts', () => {
  const outage: Outage = { program: 'stream', kind: 'refused', from: 10_000, to: 20_000 };
  const record = (type: string, at: number) => ({ type, gvr: GVR, seq: 1, at });
  const told = (...records: ReturnType<typeof record>[]) => outageProblems([outage], records, [GVR]);
  expect(told(record('DISCONNECTED', 10_100), record('RESUMED', 20_500))).toEqual({ problems: [], told: 1 });
  expect(told(record('DISCONNECTED', 10_100)).problems).toEqual([]);
  expect(told().problems).toEqual([`${GVR}: an outage of 10000 ms (refused) was not reported while it lasted`]);
  expect(told(record('DISCONNECTED', 15_000), record('RESUMED', 20_500)).problems).toHaveLength(1);
  expect(told(record('DISCONNECTED', 10_100), record('RESUMED', 12_000)).problems).toHaveLength(1);
  const frozen: Outage = { program: 'stream', kind: 'frozen', from: 9_000, to: 12_000 };
  expect(outageProblems([outage, frozen], [], [GVR]).problems).toEqual([]);
  const other: Outage = { ...outage, program: 'rows' };
  expect(outageProblems([other], [], [GVR]).problems).toEqual([]);
});

it('a reader of lines takes them whole, wherever they are cut, and reports what is no JSON', () => {
  const lines: string[] = [];
  const take = linesOf((line) => lines.push(line));
  for (const chunk of ['a', 'b\nc', '\n\n', 'd']) take(chunk);
  expect(lines).toEqual(['ab', 'c', '']);
  const reader = new StreamReader(() => 1);
  reader.take('{"type":"END","seq":1,"exitCode":0,"summary":{"ADDED":0,"MODIFIED":0,"DELETED":0,"relists":0}}\nnope\n');
  expect(reader.judgeAll(new Map(), 0).problems).toEqual(['a line is no JSON: nope']);
});

it('a reader of rows finds rows that do not fit, and a result that is not the server’s', () => {
  const truth = truthOf('A a 2', 'A b 3');
  const even = new Map([[GVR, new TypeTruth(GVR)]]);
  even.get(GVR)?.begin({ epoch: 0, gvr: GVR, states: new Map([['a', { uid: 'u', version: 2, mark: '2' }]]) });
  const row = (op: string) => {
    const metadata = { uid: 'u', resourceVersion: '2', annotations: { mark: '2' } };
    return `${JSON.stringify({ op, gvr: GVR, key: 'a', object: { metadata } })}\n`;
  };
  const reader = new RowReader();
  reader.take(row('+'));
  expect(reader.isAtEnd(even)).toBe(true);
  reader.take(row('+'));
  expect(reader.judge(even, 0).problems).toContain('row 2: + a does not fit');
  reader.take(row('-'));
  expect(reader.isAtEnd(even)).toBe(false);
  expect(truth.last).toBe(1);
});

it('memory is compared after the warm-up, and not across processes', () => {
  const rss = [90, 95, 100, 102, 101, 104, 103, 110, 99, 120, 118, 119];
  const usage = rss.map((each, at) => ({ at, rss: each, descriptors: at }));
  const row = { warm: 101, end: 118, descriptors: { begin: 0, end: 11 } };
  expect(usageOf({ usage, ended: new Map() })).toEqual(row);
  const twice = new Map([
    [1, 1],
    [2, 2],
  ]);
  expect(usageOf({ usage, ended: twice })).toBeUndefined();
});

describe('usageProblems', () => {
  const row = (warm: number, end: number, more = 0) => ({ warm, end, descriptors: { begin: 20, end: 20 + more } });

  it('finds memory that grew by more than a tenth in a long soak, and by more than half in a short one', () => {
    const rows = new Map([
      ['flat', row(100, 110)],
      ['grown', row(100, 111)],
      ['much', row(100, 151)],
    ]);
    expect(usageProblems(rows, 10)).toEqual(['grown: memory grew 1.11 ×', 'much: memory grew 1.51 ×']);
    expect(usageProblems(rows, 2)).toEqual(['much: memory grew 1.51 ×']);
  });

  it('finds descriptors that are not closed, and says nothing of a program that was started again', () => {
    const rows = new Map([
      ['few', row(100, 100, 8)],
      ['many', row(100, 100, 9)],
      ['again', undefined],
    ]);
    expect(usageProblems(rows, 10)).toEqual(['many: 9 more descriptors than at first']);
  });
});
