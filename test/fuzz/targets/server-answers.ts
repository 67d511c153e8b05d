import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describeError } from '../../../src/cli/terminal/error-text.ts';
import { isAggregated, typesOfAggregated } from '../../../src/client/discovery/discovery-aggregated.ts';
import { groupVersionsOf, type ResourceList, typesOfLegacy } from '../../../src/client/discovery/discovery-legacy.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { formatGvr } from '../../../src/model/gvr.ts';
import {
  isAlreadyExists,
  isExpired,
  isTooLargeResourceVersion,
  type Status,
  StatusError,
} from '../../../src/model/status.ts';
import { oddJson, oddText } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const quoted = oddText.map((text) => JSON.stringify(text));

/** A member that is of the right type, or of any other type. */
const either = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 5, arbitrary: right }, oddJson);
const listOf = (item: fc.Arbitrary<string>) =>
  either(fc.array(either(item), { maxLength: 3 }).map((all) => `[${all.join()}]`));
const objectOf = (members: Readonly<Record<string, fc.Arbitrary<string>>>) =>
  fc.record(members, { requiredKeys: [] }).map(
    (made) =>
      `{${Object.entries(made)
        .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
        .join()}}`,
  );

const aggregated = objectOf({
  items: listOf(
    objectOf({
      metadata: either(objectOf({ name: either(quoted) })),
      versions: listOf(
        objectOf({
          version: either(quoted),
          freshness: either(fc.constantFrom('"Stale"', '"Current"')),
          resources: listOf(
            objectOf({
              resource: either(quoted),
              responseKind: either(objectOf({ kind: either(quoted) })),
              scope: fc.constantFrom('"Namespaced"', '7'),
              singularResource: either(quoted),
              verbs: listOf(quoted),
              shortNames: listOf(quoted),
              subresources: listOf(objectOf({ subresource: either(quoted) })),
            }),
          ),
        }),
      ),
    }),
  ),
});
const groups = objectOf({
  kind: fc.constantFrom('"APIVersions"', '"APIGroupList"'),
  versions: listOf(quoted),
  groups: listOf(
    objectOf({
      name: either(quoted),
      versions: listOf(objectOf({ version: either(quoted) })),
      preferredVersion: either(objectOf({ version: either(quoted) })),
    }),
  ),
});
const resources = objectOf({
  resources: listOf(
    objectOf({ name: either(quoted), kind: either(quoted), singularName: either(quoted), verbs: listOf(quoted) }),
  ),
});

/** The types of any discovery document have texts as names, and lists of texts. */
export const discovery = fuzzTarget({
  name: 'discovery',
  share: 0.6,
  inputs: fc.tuple(aggregated, groups, resources),
  check: ([byGroup, roots, list]) => {
    const document = { ...(parseJson(byGroup) as object), kind: 'APIGroupDiscoveryList' };
    assert.ok(isAggregated(document));
    const versions = groupVersionsOf(parseJson(roots) as never);
    const answer = { status: 'fulfilled', value: parseJson(list) as ResourceList } as const;
    for (const { types, failures } of [
      typesOfAggregated(document),
      typesOfLegacy(
        versions,
        versions.map(() => answer),
      ),
    ]) {
      for (const { gvr, kind, singular, subresources } of types) {
        for (const name of [gvr.group, gvr.version, gvr.resource, kind, singular, ...subresources])
          assert.equal(typeof name, 'string', `a name is not a text in ${formatGvr(gvr)}`);
      }
      for (const { group } of failures) assert.equal(typeof group, 'string');
    }
  },
});

const status = objectOf({
  message: either(quoted),
  reason: either(fc.constantFrom('"Expired"', '"Conflict"', '""')),
  code: either(fc.constantFrom('404', '0', '504')),
  details: either(
    objectOf({
      causes: listOf(objectOf({ reason: either(quoted), message: either(quoted), field: either(quoted) })),
      retryAfterSeconds: either(fc.constantFrom('0', '5')),
      kind: either(fc.constantFrom('"secrets"', '"pods"')),
    }),
  ),
});

/** Any Status is an error with a text, and its kind can be asked for. */
export const statuses = fuzzTarget({
  name: 'statuses',
  inputs: status,
  check: (text) => {
    const made = outcomeOf(() => new StatusError({ ...(parseJson(text) as Status), kind: 'Status' }));
    assert.ok('value' in made);
    const error = made.value;
    assert.equal(typeof error.message, 'string');
    assert.equal(typeof describeError(error), 'string');
    for (const is of [isAlreadyExists, isExpired, isTooLargeResourceVersion]) assert.equal(typeof is(error), 'boolean');
    assert.ok(error.retryAfterMs === undefined || Number.isFinite(error.retryAfterMs));
  },
});
