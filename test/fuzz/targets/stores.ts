import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { oddJson, oddObject, oddText } from '../inputs.ts';
import { comparable, outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const quoted = oddText.map((text) => JSON.stringify(text));
const either = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 8, arbitrary: right }, oddJson);
const metadata = fc
  .record(
    {
      name: either(fc.oneof(quoted, fc.constantFrom('"a"', '"b"', '"__proto__"'))),
      namespace: either(fc.oneof(quoted, fc.constantFrom('"n"', '""'))),
      uid: either(quoted),
      resourceVersion: either(fc.constantFrom('"1"', '"2"', '"x"')),
      labels: either(fc.constantFrom('{"app":"a"}', '{"__proto__":"a"}', '{}', '{"app":7}', 'null')),
    },
    { requiredKeys: ['name'] },
  )
  .map(
    (members) =>
      `{${Object.entries(members)
        .map(([key, text]) => `"${key}":${text}`)
        .join()}}`,
  );
const object = fc
  .tuple(oddObject, fc.oneof({ weight: 8, arbitrary: metadata }, oddJson))
  .map(([body, meta]) => `${body.slice(0, -1)}${body === '{}' ? '' : ','}"metadata":${meta}}`);

/** Both kinds of stores give back what was written, and agree on what they refuse. */
export const stores = fuzzTarget({
  name: 'stores',
  share: 0.3,
  inputs: fc.array(fc.oneof({ weight: 10, arbitrary: object }, oddJson), { minLength: 1, maxLength: 6 }),
  check: (texts) => {
    const results = (['objects', 'compact'] as const).map((store) => {
      const indexers = { app: (each: UnknownObject) => [each.metadata.labels?.app ?? ''] };
      const indexer = new Indexer<UnknownObject>({ store, indexers });
      const outcomes = texts.map((text) =>
        comparable(outcomeOf(() => void indexer.update(parseJson(text) as UnknownObject))),
      );
      const kept = [...indexer.entries()].map(([key, each]) => [key, jsonText(each)]);
      const selected = createLister(indexer).list({ selector: LabelSelector.parse('app=a') });
      return { outcomes, kept, selected: selected.map((each) => jsonText(each)) };
    });
    assert.deepStrictEqual(results[1], results[0]);
    const written = new Set(texts.map((text) => jsonText(parseJson(text))));
    for (const [, text] of results[0]?.kept ?? []) assert.ok(written.has(String(text)), 'an object was changed');
  },
});
