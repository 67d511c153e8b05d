import { expect, it } from 'vitest';
import { LossNotices } from '../../../src/stream/notices/loss-notices.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const typeOf = (resource: string) => ({ gvr: { group: '', version: 'v1', resource } }) as never;
const gap = (from: string, scope?: string) => ({ kind: 'gap', from, why: 'gone', scope }) as never;
const relisted = (from: string, objects: number, why = 'gone') => ({ kind: 'relisted', from, objects, why }) as never;

function gathering() {
  const clock = new FakeClock();
  const lines: string[] = [];
  return { clock, lines, notices: new LossNotices(clock, (text) => lines.push(text)) };
}

it('an outage of seven types is two lines: what may be missing, and what came back', async () => {
  const { clock, lines, notices } = gathering();
  for (let i = 0; i < 7; i++) notices.add(gap(String(110 - i)), typeOf(`t${i}`), `t${i} alone`);
  clock.tick(100);
  for (let i = 0; i < 7; i++) notices.add(relisted(String(110 - i), i), typeOf(`t${i}`), `t${i} alone`);
  expect(lines).toEqual([]);
  clock.tick(300);
  expect(lines).toEqual([
    '7 types: changes after 104 may go unseen (gone); listing again',
    '7 types: relisted 21 objects (gone); what happened since 104 shows as its outcome',
  ]);
});

it('a few types and namespaces are named, and more are counted', () => {
  const { clock, lines, notices } = gathering();
  for (const scope of ['a', 'b', 'c']) notices.add(gap('7', scope), typeOf('pods'), 'alone');
  clock.tick(300);
  for (const scope of ['a', 'b', 'c', 'd']) notices.add(gap('7', scope), typeOf('pods'), 'alone');
  clock.tick(300);
  expect(lines).toEqual([
    'pods in a, pods in b, pods in c: changes after 7 may go unseen (gone); listing again',
    '4 types and namespaces: changes after 7 may go unseen (gone); listing again',
  ]);
});

it('one that stays alone is printed as it is, and reasons that differ are left out', () => {
  const { clock, lines, notices } = gathering();
  notices.add(gap('7'), typeOf('pods'), 'pods alone');
  clock.tick(300);
  notices.add(relisted('7', 1), typeOf('pods'), 'alone');
  notices.add(relisted('9', 0, 'restart'), typeOf('services'), 'alone');
  clock.tick(300);
  expect(lines).toEqual([
    'pods alone',
    'pods, services: relisted 1 object; what happened since 7 shows as its outcome',
  ]);
});

it('the end prints what was gathered, once', () => {
  const { clock, lines, notices } = gathering();
  notices.add(gap('7'), typeOf('pods'), 'pods alone');
  notices[Symbol.dispose]();
  expect(lines).toEqual(['pods alone']);
  clock.tick(1000);
  expect(lines).toEqual(['pods alone']);
});
