import { expect, it } from 'vitest';
import { ScenarioEvents } from '../../../../src/sandbox/scenarios/workloads/events.ts';
import { podView, useWorld } from '../../../support/world.ts';

const world = useWorld();
const events = () =>
  world.backend.cluster.store
    .snapshot()
    .objects.filter(({ storage }) => storage === 'events')
    .map(({ object }) => object.object);

it('records an event about an object, as a controller does', () => {
  const pod = podView('p', { uid: 'u', resourceVersion: '5' });
  new ScenarioEvents(world.actor).record(pod, 'Warning', 'BackOff', 'Back-off', 'kubelet');
  expect(events()).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^p\.[0-9a-f]{16}$/), namespace: 'default' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'p',
        namespace: 'default',
        uid: 'u',
        resourceVersion: '5',
      },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off',
      source: { component: 'kubelet' },
      firstTimestamp: world.actor.timestamp,
      count: 1,
    },
  ]);
});

it('keeps the latest 300 events', () => {
  const recorder = new ScenarioEvents(world.actor);
  for (let i = 0; i < 310; i++) recorder.record(podView('p'), 'Normal', 'Test', `event ${i}`, 'test');
  const messages = events().map(({ message }) => message);
  expect(messages).toHaveLength(300);
  expect([messages.includes('event 9'), messages.includes('event 10'), messages.includes('event 309')]).toEqual([
    false,
    true,
    true,
  ]);
});
