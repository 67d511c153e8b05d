import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ABOUT, aboutIn, isSameConnection } from '../../src/serve/about.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'about-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

it.each([
  ['{"protocol":1,"pid":7,"name":"x"}', { protocol: 1, pid: 7, name: 'x' }],
  ['{"protocol":1}', undefined],
  ['{"pid":7}', undefined],
  ['{"protocol":"1","pid":7}', undefined],
  ['null', undefined],
  ['{"protocol":1,"pi', undefined],
])('the description %s of a serve is %j', (text, about) => {
  writeFileSync(path.join(folder, ABOUT), text);
  expect(aboutIn(folder)).toEqual(about);
});

it('a folder without a description has none', () => {
  expect(aboutIn(folder)).toBeUndefined();
});

it.each([
  ['{"a":1,"account":"x"}', '{"a":1,"account":"x"}', false, true],
  ['{"a":1,"account":"x"}', '{"a":1,"account":"y"}', false, false],
  ['{"a":1,"account":"x"}', '{"a":1,"account":"y"}', true, true],
  ['{"a":1,"account":"x"}', '{"a":2,"account":"x"}', true, false],
  ['{"a":1,"account":"x"}', '["a":1,"account":"x"}', true, false],
  [undefined, undefined, true, false],
  ['{"a":1,"account":"x"}', undefined, true, false],
  [undefined, '{"a":1,"account":"x"}', true, false],
])('%s and %s, with any account: %j, are the same connection: %j', (one, other, anyAccount, expected) => {
  expect(isSameConnection(one, other, anyAccount)).toBe(expected);
});

it('the account counts unless it is said that any will do', () => {
  expect(isSameConnection('{"a":1,"account":"x"}', '{"a":1,"account":"y"}')).toBe(false);
});
