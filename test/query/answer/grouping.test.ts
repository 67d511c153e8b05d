import { expect, test } from 'vitest';
import { loadExpression } from '../../../src/expr/path-or-cel.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { scanned } from '../../../src/query/answer/cached-objects.ts';
import { grouped } from '../../../src/query/answer/grouping.ts';
import { measuresOf } from '../../../src/query/answer/measure-flags.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const SECRETS = {
  gvr: { group: '', version: 'v1', resource: 'secrets' },
  kind: 'Secret',
  namespaced: true,
} as unknown as ResourceType;

const objects = [1234, 4321].map((pin) => ({
  metadata: { name: `s${pin}` },
  data: { pin: String(pin) },
  type: 'Opaque',
}));
const sink = { clock: new FakeClock(), notice: () => {} };
const found = [{ objects, type: SECRETS, store: scanned(objects), order: () => undefined }];

test('values of Secrets are read as they are shown: in groups, in amounts and in remarks', async () => {
  const groupBy = await loadExpression('.data.pin', { flag: '--group-by' });
  const measures = await measuresOf({ sum: ['.data.pin'], max: ['object.data.pin'] }, () => {});
  const { rows, remarks } = await grouped(found, { groupBy, measures }, { redactor: new Redactor(), sink });
  expect(rows.map(({ value, amounts }) => [value, amounts])).toEqual([
    [expect.stringMatching(/^hmac:/), [undefined, undefined]],
    [expect.stringMatching(/^hmac:/), [undefined, undefined]],
  ]);
  expect(remarks).toHaveLength(2);
  expect(JSON.stringify([rows, remarks])).not.toMatch(/1234|4321/);
  const shown = await grouped(
    found,
    { groupBy: undefined, measures },
    { redactor: new Redactor({ showSecrets: true }), sink },
  );
  expect(shown.rows[0]?.amounts.map((amount) => amount?.exact)).toEqual(['5555', '4321']);
});

test('objects of a list have the kind of their type', async () => {
  const groupBy = await loadExpression('.kind', { flag: '--group-by' });
  const { rows } = await grouped(found, { groupBy, measures: [] }, { redactor: new Redactor(), sink });
  expect(rows).toEqual([{ value: 'Secret', count: 2, amounts: [] }]);
});
