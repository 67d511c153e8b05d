import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AccessRecord, readAccess } from '../../../src/hooks/access/observed-access.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'access-'));
  file = path.join(folder, 'observed');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LIST = { verb: 'list', group: '', resource: 'pods' };
const PATCH = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop' };
const failures: Error[] = [];
const record = () => new AccessRecord(file, (error) => failures.push(error));

it('a record has each access once, also over several runs, and nothing else of a request', () => {
  const first = record();
  for (const access of [LIST, PATCH, LIST]) first.add({ ...access, name: 'secret' } as typeof access);
  const second = record();
  for (const access of [PATCH, { ...PATCH, namespace: 'other' }]) second.add(access);
  expect(readAccess(file)).toEqual([LIST, PATCH, { ...PATCH, namespace: 'other' }]);
  expect(readFileSync(file, 'utf8')).not.toContain('secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a file that cannot be written is refused at the start, and later reported once', () => {
  expect(() => new AccessRecord(folder, () => {})).toThrow(/cannot (read|write) /);
  const one = record();
  rmSync(file);
  mkdirSync(file);
  one.add(LIST);
  one.add(PATCH);
  expect(failures.splice(0).map(({ message }) => message)).toEqual([
    expect.stringContaining(`cannot write the observed requests to ${file}`),
  ]);
});

it('a file that is absent or something else is refused, with its line and the next step', () => {
  expect(() => readAccess(file)).toThrow(
    expect.objectContaining({ hint: 'the option observe of reconcile or of startTestCluster writes it' }),
  );
  for (const line of [
    'text',
    '{}',
    '{"verb":"get","group":"","resource":7}',
    '{"verb":"get","resource":"a"}',
    'null',
  ]) {
    writeFileSync(file, `${JSON.stringify(LIST)}\n\n${line}\n`);
    expect(() => readAccess(file)).toThrow(`line 3 of ${file} is not an observed request`);
  }
  writeFileSync(file, ` \n${JSON.stringify(PATCH)}\n`);
  expect(readAccess(file)).toEqual([PATCH]);
});
