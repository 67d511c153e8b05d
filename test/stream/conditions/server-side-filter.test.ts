import { expect, it } from 'vitest';
import { compiledAll } from '../../../src/cli/session/stream-filters.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { serverSideFilterOf } from '../../../src/stream/conditions/server-side-filter.ts';

const typeOf = (group: string, resource: string) => ({ gvr: { group, version: 'v1', resource } }) as ResourceType;

async function narrowed(type: ResourceType, ...sources: string[]) {
  const { programs } = await compiledAll(sources, 'filter');
  return serverSideFilterOf(programs, type);
}

it.each<[string, ResourceType, string[], string | undefined, string | undefined]>([
  ['names of any type', typeOf('apps', 'deployments'), ['object.metadata.name == "a"'], undefined, 'metadata.name=a'],
  ['labels of any type', typeOf('x.y', 'things'), ['object.metadata.labels["k.io/a"] == "b"'], 'k.io/a=b', undefined],
  ['the node of a pod', typeOf('', 'pods'), ['object.spec.nodeName == "n"'], undefined, 'spec.nodeName=n'],
  ['no node of what is no pod', typeOf('apps', 'deployments'), ['object.spec.nodeName == "n"'], undefined, undefined],
  ['the reason of an event', typeOf('', 'events'), ['object.reason == "Killing"'], undefined, 'reason=Killing'],
  ['the type of a Secret', typeOf('', 'secrets'), ['object.type == "Opaque"'], undefined, 'type=Opaque'],
  [
    'parts of several expressions',
    typeOf('', 'pods'),
    ['object.metadata.labels.a == "b"', 'object.metadata.labels.c == "d"'],
    'a=b,c=d',
    undefined,
  ],
  [
    'nothing of an alternative',
    typeOf('', 'pods'),
    ['object.metadata.name == "a" || object.spec.x == 1'],
    undefined,
    undefined,
  ],
])('sends %s', async (_, type, sources, labelSelector, fieldSelector) => {
  expect(await narrowed(type, ...sources)).toMatchObject({ labelSelector, fieldSelector });
});

it('says what is sent and what is evaluated here', async () => {
  const pods = typeOf('', 'pods');
  expect((await narrowed(pods, 'object.metadata.labels.a == "b"')).text).toBe(
    'v1/pods: the server selects by label selector a=b; nothing is left to evaluate here',
  );
  expect((await narrowed(pods, 'object.metadata.name == "a" && object.spec.x == 1')).text).toBe(
    'v1/pods: the server selects by field selector metadata.name=a; evaluated here: object.spec.x == 1',
  );
  expect((await narrowed(pods, 'object.spec.x == 1')).text).toBe(
    'v1/pods: nothing of it can be sent to the server; evaluated here: object.spec.x == 1',
  );
});

it('sends only what cannot change where a leaving object must be distinguished from a deleted one', async () => {
  const { programs } = await compiledAll(
    ['object.metadata.name == "a" && object.metadata.labels.b == "c" && object.spec.nodeName == "n"'],
    'filter',
  );
  expect(await serverSideFilterOf(programs, typeOf('', 'pods'), { fixed: true })).toEqual({
    labelSelector: undefined,
    fieldSelector: 'metadata.name=a',
    text: 'v1/pods: the server selects by field selector metadata.name=a; evaluated here: object.metadata.labels.b == "c" && object.spec.nodeName == "n"',
  });
});
