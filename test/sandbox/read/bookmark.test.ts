import { expect, it } from 'vitest';
import { isInitialEventsEnd } from '../../../src/model/watch-event.ts';
import { bookmarkObject } from '../../../src/sandbox/read/bookmark.ts';
import { encodeObject } from '../../../src/sandbox/read/encode.ts';
import { builtinType, customType } from '../../support/api-types.ts';

it.each([
  ['Event', builtinType('events', 'events.k8s.io'), '{"kind":"Event","apiVersion":"events.k8s.io/v1",'],
  ['Box', customType(), '{"apiVersion":"example.com/v1","kind":"Box",'],
])('the bookmark of a watch of %s has its kind and a version, and no name', (_kind, type, lead) => {
  const bookmark = bookmarkObject(type, 7, false);
  expect(encodeObject(type, bookmark, { form: 'object', includeObject: 'None' }, 0).startsWith(lead)).toBe(true);
  expect([bookmark.revision, bookmark.object.metadata]).toEqual([7, { resourceVersion: '7' }]);
  expect(isInitialEventsEnd(bookmark.object)).toBe(false);
});

it('marks the end of the initial events', () => {
  expect(isInitialEventsEnd(bookmarkObject(builtinType('pods'), 7, true).object)).toBe(true);
});
