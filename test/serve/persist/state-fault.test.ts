import { expect, it } from 'vitest';
import { StateFault, stateFault } from '../../../src/serve/persist/state-fault.ts';

it.each([
  [{ errcode: 5 }, 'locked', 'another process uses it'],
  [{ errcode: 6 }, 'locked', 'another process uses it'],
  [{ errcode: 261 }, 'locked', 'another process uses it'], // SQLITE_BUSY_RECOVERY
  [{ errcode: 11 }, 'damaged', 'it is damaged'],
  [{ errcode: 26 }, 'damaged', 'it is damaged'],
  [{ errcode: 13 }, 'full', 'there is no room for more'],
  [{ errcode: 10 }, 'unusable', 'it cannot be used'],
  [{ code: 'ENOSPC' }, 'full', 'there is no room for more'],
  [{ code: 'EDQUOT' }, 'full', 'there is no room for more'],
  [{ code: 'EACCES' }, 'unusable', 'it cannot be used'],
  [{ errcode: 5, code: 'ENOSPC' }, 'locked', 'another process uses it'],
  [{ errcode: '5' }, 'unusable', 'it cannot be used'],
])('an error with %j is the fault "%s", which keeps its file, its cause and a next step', (fields, kind, text) => {
  const cause = Object.assign(new Error('why'), fields);
  const fault = stateFault(cause, '/cache/a.db');
  expect(fault).toMatchObject({ kind, message: `/cache/a.db: ${text} (why)`, cause, code: 'store' });
  expect(fault.hint).toMatch(/\w{3}/);
});

it('a fault stays as it is', () => {
  const fault = new StateFault('newer', '/cache/a.db', 'made later');
  expect(stateFault(fault, '/other')).toBe(fault);
});
