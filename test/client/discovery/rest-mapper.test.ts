import { beforeAll, describe, expect, it } from 'vitest';
import { Discovery } from '../../../src/client/discovery/discovery.ts';
import { isUnavailable, RestMapper } from '../../../src/client/discovery/rest-mapper.ts';
import { formatGvr } from '../../../src/model/gvr.ts';
import { statusOf } from '../../../src/model/status.ts';
import { definition, withoutAggregatedDiscovery } from '../../support/in-process.ts';
import { ALL, APPLES, served } from '../served-types.ts';

let mapper: RestMapper;
beforeAll(async () => {
  mapper = (await served()).mapper;
});

describe('RestMapper', () => {
  it.each([
    ['pods', 'v1/pods'],
    ['pod', 'v1/pods'],
    ['po', 'v1/pods'],
    ['Pod', 'v1/pods'],
    ['PODS', 'v1/pods'],
    ['PO', 'v1/pods'],
    ['pods.v1.', 'v1/pods'],
    ['po.v1.', 'v1/pods'],
    ['deploy', 'apps/v1/deployments'],
    ['deployments.apps', 'apps/v1/deployments'],
    ['deploy.apps', 'apps/v1/deployments'],
    ['deployment.app', 'apps/v1/deployments'],
    ['deployments.v1.apps', 'apps/v1/deployments'],
    ['Deployment.v1.apps', 'apps/v1/deployments'],
    ['Deployment.apps', 'apps/v1/deployments'],
    ['hpa', 'autoscaling/v2/horizontalpodautoscalers'],
    ['hpa.v1.autoscaling', 'autoscaling/v1/horizontalpodautoscalers'],
    ['horizontalpodautoscalers.autoscaling', 'autoscaling/v2/horizontalpodautoscalers'],
    ['ev', 'v1/events'],
    ['events', 'v1/events'],
    ['events.events', 'events.k8s.io/v1/events'],
    ['events.events.k8s.io', 'events.k8s.io/v1/events'],
    ['ma', 'stable.example.com/v1/myapples'],
    ['MyApple', 'stable.example.com/v1/myapples'],
    ['myapples.stable.example.com', 'stable.example.com/v1/myapples'],
    ['myapples.v1.stable.example.com', 'stable.example.com/v1/myapples'],
    ['myapples.stable', 'stable.example.com/v1/myapples'],
  ])('finds %s as %s', async (word, gvr) => {
    expect(formatGvr((await mapper.resolve(word)).gvr)).toBe(gvr);
  });

  it('prefers a resource name to a short name of another type', async () => {
    const objects = [
      definition('things.a.example.com', ['v1'], { shortNames: ['gadgets'] }),
      definition('gadgets.b.example.com'),
    ];
    const { mapper } = await served({ objects });
    expect((await mapper.resolve('things')).shortNames).toEqual(['gadgets']);
    expect((await mapper.resolve('gadgets')).gvr.group).toBe('b.example.com');
  });

  it.each([
    ['foo', 'foo'],
    ['foo.bar', 'foo'],
    ['foo.v1.bar', 'foo'],
    ['deployments.v2.apps', 'deployments'],
    ['pods.v1', 'pods'],
    ['', ''],
  ])("reports %s in the words of kubectl: the server doesn't have a resource type %j", async (word, named) => {
    await expect(mapper.resolve(word)).rejects.toMatchObject({
      code: 'discovery',
      message: `the server doesn't have a resource type ${JSON.stringify(named)}`,
    });
  });

  it('suggests similar names, and names the groups that did not answer', async () => {
    await expect(mapper.resolve('deplyoments')).rejects.toMatchObject({
      hint: 'Did you mean "deployments" or "deployment"?',
    });
    const { sandbox, transport } = await served();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: '/apis/batch/v1' } });
    const broken = new RestMapper(new Discovery(withoutAggregatedDiscovery(transport)));
    await expect(broken.resolve('nodemetrics')).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringMatching(
        /^cannot find out whether the server has a resource type "nodemetrics": could not ask for batch\/v1 \(/,
      ),
    });
  });

  it.each([
    ['/api', 503, 'pods', true],
    ['/api', 429, 'pods', true],
    ['/apis', 500, 'deployments', true],
    ['/api', 403, 'pods', false],
    ['/apis/batch/v1', 503, 'nodemetrics', false],
  ] as const)('%s that answers %i makes the server unavailable for %s: %s', async (path, code, word, isAway) => {
    const { sandbox, transport } = await served();
    sandbox.faults.add({ fault: { kind: 'status', code }, match: { path: new RegExp(`^${path}$`) } });
    const broken = new RestMapper(new Discovery(withoutAggregatedDiscovery(transport)));
    const error = await broken.resolve(word).catch((reason: unknown) => reason);
    expect([statusOf(error)?.code, isUnavailable(error)]).toEqual([code, isAway]);
  });

  it.each([
    ['core', 'pods', true],
    ['core', 'deployments', true],
    ['core', 'pods.v1', true],
    ['core', 'things.example.com', false],
    ['apis', 'things', true],
    ['apis', 'things.example.com', true],
    ['example.com/v1', 'things', true],
    ['example.com/v1', 'things.example.com', true],
    ['example.com/v1', 'things.v1.example.com', true],
    ['example.com/v1', 'things.exam', true],
    ['example.com/v1', 'things.other.com', false],
    ['example.com/v1', 'pods', undefined],
  ])('without an answer of %s, %s may exist or not: %s', async (group, word, mayBe) => {
    const pods = {
      gvr: { group: '', version: 'v1', resource: 'pods' },
      kind: 'Pod',
      singular: 'pod',
      shortNames: [],
      categories: [],
    };
    const deployments = {
      ...pods,
      gvr: { group: 'apps', version: 'v1', resource: 'deployments' },
      kind: 'Deployment',
      singular: 'deployment',
    };
    const rest = { namespaced: true, verbs: ['list'], subresources: [], preferred: true };
    const types = [...(group === 'core' ? [] : [{ ...pods, ...rest }]), { ...deployments, ...rest }];
    const snapshot = { types, failures: [{ group, message: 'broken' }] };
    const mapper = new RestMapper({ snapshot: async () => snapshot, isFresh: () => true, invalidate: async () => {} });
    if (mayBe === undefined) expect((await mapper.resolve(word)).kind).toBe('Pod');
    else await expect(mapper.resolve(word)).rejects.toMatchObject({ code: mayBe ? 'transport' : 'discovery' });
  });

  it('warns that a category may have more types when a group did not answer', async () => {
    const { sandbox, transport } = await served();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: '/apis/batch/v1' } });
    const warnings: string[] = [];
    const broken = new RestMapper(new Discovery(withoutAggregatedDiscovery(transport)), {
      onWarning: (text) => warnings.push(text),
    });
    expect((await broken.category('all'))?.length).toBeGreaterThan(2);
    expect(warnings).toEqual([expect.stringMatching(/^all may stand for more types: could not ask for batch\/v1 \(/)]);
  });

  it('fetches again for an unknown word, unless the snapshot is fresh; once it is stale, it fetches again [RM-01]', async () => {
    const { sandbox, clock, mapper: rest, fetches } = await served({ objects: [] });
    expect(await rest.find('ma')).toBeUndefined();
    expect(fetches()).toBe(1);
    sandbox.apply(APPLES);
    expect(await rest.find('ma'), 'fresh').toBeUndefined();
    expect(fetches()).toBe(1);
    clock.tick(10_000);
    expect((await rest.find('ma'))?.kind).toBe('MyApple');
    expect(fetches()).toBe(2);
    expect(await rest.find('nothing')).toBeUndefined();
    expect(fetches()).toBe(2);
    clock.tick(10_000);
    expect(await rest.find('nothing')).toBeUndefined();
    expect(fetches()).toBe(3);
  });

  it('does not fetch again for a known word, stale or not', async () => {
    const { clock, mapper: rest, fetches } = await served();
    expect((await rest.find('pods'))?.kind).toBe('Pod');
    clock.tick(10_000);
    expect((await rest.find('pods'))?.kind).toBe('Pod');
    expect(await rest.known('nothing')).toBeUndefined();
    expect(fetches()).toBe(1);
  });

  it('expands categories to the listable types, in the server’s order and preferred version', async () => {
    expect((await mapper.category('all'))?.map((t) => formatGvr(t.gvr))).toEqual(ALL);
    expect(await mapper.category('none')).toBeUndefined();
  });

  it('fetches again for a word that is neither a category nor a type, and not for a type', async () => {
    const { sandbox, clock, mapper: rest, fetches } = await served({ objects: [] });
    await rest.find('pods');
    clock.tick(10_000);
    sandbox.apply(APPLES);
    expect((await rest.category('fruit'))?.map((t) => t.kind)).toEqual(['MyApple']);
    expect(fetches()).toBe(2);
    clock.tick(10_000);
    expect(await rest.category('pods')).toBeUndefined();
    expect(fetches()).toBe(2);
    expect(await rest.category('nothing')).toBeUndefined();
    expect(fetches()).toBe(3);
  });

  const EVENTS = 'short name "ev" could also match lower priority resource events.events.k8s.io';
  it.each<[string, string[]]>([
    ['ev', [EVENTS]],
    ['EV', [EVENTS]],
    ['events', []],
    ['Event', []],
    ['po', []],
    ['hpa', []],
    ['ev.events.k8s.io', []],
    ['ev.v1.', []],
  ])('warns about the word %s as kubectl does: %j', async (word, warnings) => {
    const told: string[] = [];
    const { mapper } = await served({}, { onWarning: (text) => told.push(text) });
    await mapper.resolve(word);
    expect(told).toEqual(warnings);
  });

  it('finds the type of a kind', async () => {
    const type = await mapper.typeOfKind({ group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' });
    expect(formatGvr(type?.gvr ?? expect.unreachable())).toBe('autoscaling/v1/horizontalpodautoscalers');
  });
});
