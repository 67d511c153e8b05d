import { describe, expect, it } from 'vitest';
import { Journal, type JournalRecord } from '../../bench/replicas/journal.ts';

/** `A1 start`: the process A writes the start of its run 1. */
function journalOf(...records: string[]): Journal {
  const journal = new Journal();
  for (const [at, text] of records.entries()) {
    const [run = '', what] = text.split(' ');
    const replica = run.slice(0, 1);
    journal.add({ key: 'n/x', replica, run, what: what as JournalRecord['what'], version: at + 1, at });
  }
  return journal;
}

describe('the record of the runs of a key', () => {
  it('has nothing against runs that follow each other, also one that was broken off', () => {
    const journal = journalOf('A1 start', 'A1 end', 'B1 start', 'C1 start', 'C1 work', 'C1 end');
    expect(journal.doubled).toEqual([]);
    expect([journal.runs, journal.completed, journal.doneOf('n/x'), journal.replicaOf('n/x')]).toEqual([3, 2, 6, 'C']);
  });

  it('shows each write of a run after another one has begun', () => {
    const { doubled } = journalOf('A1 start', 'B1 start', 'A1 work', 'B1 end', 'A1 end');
    expect(doubled.map(({ text }) => text)).toEqual([
      'A wrote work of run A1, although B had begun meanwhile',
      'A wrote end of run A1, although B had begun meanwhile',
    ]);
  });
});
