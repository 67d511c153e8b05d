import { expect, test } from 'vitest';
import { nothingShown } from '../../../src/cli/record/nothing-shown.ts';

type Change = Parameters<typeof nothingShown>[0][number];

const AT = Date.parse('2026-03-01T10:00:00Z');

function change(second: number, who: string | undefined, before: object | undefined, after: object): Change {
  const state = (spec: object) => ({ object: { metadata: { name: 'web' }, spec } });
  const parts = { revision: { at: AT + second * 1000, who }, before: before && state(before), state: state(after) };
  return parts as unknown as Change;
}

const CHANGES = [
  change(0, 'kubectl-create', undefined, { replicas: 1 }),
  change(1, 'kubectl', { replicas: 1 }, { replicas: 2 }),
  change(9, 'kubectl,hpa', { replicas: 2, image: 'a' }, { replicas: 3, image: 'b' }),
  change(10, undefined, { replicas: 3 }, { replicas: 0 }),
];
const TIMES = 'they are from 2026-03-01T10:00:00.000Z to 2026-03-01T10:00:10.000Z';

test.each([
  [{ path: ['.spec.replica'] }, '--path: none of them changes .spec.replica: did you mean .spec.replicas?'],
  [{ path: ['.status'] }, '--path: none of them changes .status: there are .spec.replicas, .spec.image'],
  [{ by: ['kubctl'] }, '--by: none of them is by kubctl: did you mean kubectl?'],
  [{ by: ['argocd'] }, '--by: none of them is by argocd: there are kubectl-create, kubectl, hpa'],
  [{ since: '1s' }, TIMES],
  [{ until: '9h' }, TIMES],
  [{ path: ['.spec.image'], by: ['kubectl-create'] }, TIMES],
  [
    { path: ['.status'], since: '1s' },
    `--path: none of them changes .status: there are .spec.replicas, .spec.image; ${TIMES}`,
  ],
])('%j', (choice, reason) => {
  expect(nothingShown(CHANGES, choice)).toBe(`none of its 4 changes is chosen; ${reason}`);
});

test('an object that never changed, and more fields than a line names', () => {
  const [created] = CHANGES as [Change];
  expect(nothingShown([created], { path: ['.spec'], since: '1s' })).toBe(
    'its only change is not chosen; --path: none of them changes .spec: there are none; its time is 2026-03-01T10:00:00.000Z',
  );
  const many = change(0, 'a', {}, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 });
  expect(nothingShown([many], { path: ['.status'] })).toContain('.spec.e, 2 more');
});
