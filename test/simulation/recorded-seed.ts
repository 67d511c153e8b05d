import { expect } from 'vitest';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Recorder } from '../../src/record/recorder.ts';
import { simulate } from './simulate.ts';
import type { World } from './world.ts';

const STEPS = 60;

/** Runs a seed, and records what its informer sees. */
export async function recordedSeed(
  seed: number,
  file: string,
): Promise<{ readonly world: World; readonly file: string }> {
  let world: World | undefined;
  let recording = Promise.resolve();
  await simulate(seed, STEPS, 'objects', (created) => {
    world = created;
    const { plan, clock, informer, controller } = created;
    const { gvr, kind, isNamespaced } = plan.collection;
    const type = { gvr, kind, namespaced: isNamespaced } as ResourceType;
    const recorder = Recorder.open({ file, clock, command: 'simulate', notice: (text) => expect.fail(text) });
    recorder.follow({ type, informer, namespaces: plan.scopes }, { selector: plan.selector });
    recording = recorder.run(controller.signal);
  });
  await recording;
  return { world: world as World, file };
}
