import { expect, it } from 'vitest';
import { PODS, podNamed } from '../../support/sandbox-requests.ts';
import { STRATEGIC, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const patch = (path: string, change: object) => server.ask('PATCH', path, change);

it('allows changes of images, of the deadline, and more tolerations, and forbids others', async () => {
  await server.ask('POST', PODS, podNamed('a'));
  const refused = await patch(`${PODS}/a`, { spec: { restartPolicy: 'Never' } });
  expect(refused.body.message).toMatch(
    /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,/,
  );
  const more = await server.ask('PATCH', `${PODS}/a`, { spec: { containers: [{ name: 'd', image: 'x' }] } }, STRATEGIC);
  expect(more.body.message).toBe(
    'Pod "a" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers',
  );
  const image = await server.ask(
    'PATCH',
    `${PODS}/a`,
    { spec: { containers: [{ name: 'c', image: 'x' }], activeDeadlineSeconds: 9 } },
    STRATEGIC,
  );
  expect([image.status, image.body.metadata.generation]).toEqual([200, 2]);
  expect((await patch(`${PODS}/a`, { spec: { activeDeadlineSeconds: 10 } })).status).toBe(422);
});
