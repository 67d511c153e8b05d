import { expect, it } from 'vitest';
import { isResync, type ResourceEvent } from '../../src/controller/resource-event.ts';
import { added, updated } from '../support/controller.ts';

const deleted: ResourceEvent = { type: 'deleted', key: 'shop/web', object: undefined, cause: 'watch' };
const versionless = { metadata: { name: 'web' } };

it.each<[string, ResourceEvent, boolean]>([
  ['an update by resync', updated('web', '1', '1', 'resync'), true],
  ['an update with the same version', updated('web', '1', '1'), true],
  ['an update with another version', updated('web', '1', '2'), false],
  ['an update without its old state', { ...updated('web', '1', '1'), oldObject: undefined }, false],
  [
    'an update of objects without a version',
    { ...updated('web', '1', '1'), object: versionless, oldObject: versionless },
    false,
  ],
  ['an added object', added('web'), false],
  ['a deletion', deleted, false],
  ['a timer', { type: 'generic', key: 'shop/web', object: undefined, cause: 'resync' }, true],
])('%s: whether it is a resync', (_, event, expected) => {
  expect(isResync(event)).toBe(expected);
});
