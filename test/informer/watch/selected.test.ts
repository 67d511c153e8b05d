import { expect, it } from 'vitest';
import { isSelected } from '../../../src/informer/watch/selected.ts';

const object = { metadata: { name: 'a', labels: { app: 'web' } }, spec: { nodeName: null, host: 'n1' } };

it.each([
  [undefined, true],
  [{ labelSelector: 'app=web' }, true],
  [{ labelSelector: 'app=db' }, false],
  [{ fieldSelector: 'spec.host=n1' }, true],
  [{ fieldSelector: 'spec.host=n2' }, false],
  [{ fieldSelector: 'spec.nodeName=' }, true],
  [{ fieldSelector: 'status.phase.none=' }, true],
  [{ labelSelector: 'app=db', fieldSelector: 'spec.host=n1' }, false],
])('by the selectors %j an object is selected: %s', (selectors, isIt) => {
  expect(isSelected(object as never, selectors)).toBe(isIt);
});
