import { expect, test } from 'vitest';
import { ObjectStore } from '../../../src/sandbox/store/object-store.ts';

test.each([3, 500])('%i objects put in any order, some taken away between, are listed in key order', (count) => {
  const store = new ObjectStore({ historySize: 10 });
  const keys = Array.from({ length: count }, (_, i) => `ns-${i % 7}/é-${(i * 7919) % count}`);
  for (const [i, key] of keys.entries()) {
    store.put('pods', key, { metadata: { name: key } });
    if (i % 50 === 1) store.remove('pods', keys[i - 1] ?? '');
  }
  const left = keys.filter((key) => store.get('pods', key)).sort();
  const listed = store.collection('pods').list({ prefix: '' }, store.revision);
  expect(listed.map(({ key }) => key)).toEqual(left);
});
