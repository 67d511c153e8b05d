import { expect, it } from 'vitest';
import { effectOfEvent } from '../../../src/controller/history/event-effect.ts';

it('the effect of an event on a parked key is whether it stays parked; on another key it depends on its place', () => {
  expect([true, false].map((stays) => effectOfEvent(stays, undefined))).toEqual(['ignored', 'unparked']);
  const places = [undefined, 'queued', 'delayed', 'processing', 'runs-again'] as const;
  expect(places.map((place) => effectOfEvent(undefined, place))).toEqual([
    'queued',
    'merged',
    'sooner',
    'runs-again',
    'runs-again',
  ]);
});
