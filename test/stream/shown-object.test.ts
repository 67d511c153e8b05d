import { expect, test } from 'vitest';
import { cellsOf, withCells } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { shownObject } from '../../src/stream/shown-object.ts';

const options = { redactor: new Redactor() };
const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' };

test('an object that has nothing to hide or to add is shown as it is, without a copy', () => {
  const pod: UnknownObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  expect(shownObject(pod, PODS, options)).toBe(pod);
});

test('a copy keeps the row of its table', () => {
  const row = { columns: [], cells: ['a'] };
  const pod = withCells({ metadata: { name: 'a', managedFields: [{}] } } as UnknownObject, row);
  const shown = shownObject(pod, PODS, options);
  expect(shown).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
  expect(shown.metadata).not.toHaveProperty('managedFields');
  expect(cellsOf(shown)).toBe(row);
});
