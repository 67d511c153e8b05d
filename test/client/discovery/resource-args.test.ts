import { beforeAll, describe, expect, it } from 'vitest';
import { resolveResourceArgs } from '../../../src/client/discovery/resource-args.ts';
import type { RestMapper } from '../../../src/client/discovery/rest-mapper.ts';
import { formatGvr } from '../../../src/model/gvr.ts';
import { definition } from '../../support/in-process.ts';
import { ALL, APPLES, served } from '../served-types.ts';

let mapper: RestMapper;
beforeAll(async () => {
  mapper = (await served()).mapper;
});

const read = async (args: string, rest = mapper) =>
  (await resolveResourceArgs(args === '' ? [] : args.split(' '), rest)).map(({ type, names }) =>
    [formatGvr(type.gvr), ...names].join(' '),
  );

describe('resolveResourceArgs', () => {
  it.each([
    ['pods', ['v1/pods']],
    ['pods web-1', ['v1/pods web-1']],
    ['pods web-1 web-2 web-1', ['v1/pods web-1 web-2']],
    ['pod/web-1', ['v1/pods web-1']],
    ['pod/web-1 deploy/web pod/web-2', ['v1/pods web-1 web-2', 'apps/v1/deployments web']],
    ['deploy,svc,po', ['apps/v1/deployments', 'v1/services', 'v1/pods']],
    ['pods,po,pod', ['v1/pods']],
    ['deploy,po web db', ['apps/v1/deployments web db', 'v1/pods web db']],
    ['deployments.v1.apps web', ['apps/v1/deployments web']],
    ['all', ALL],
    ['fruit', ['stable.example.com/v1/myapples']],
    ['fruit,po', ['stable.example.com/v1/myapples', 'v1/pods']],
    ['all,po', ALL],
    ['apps/v1/deployments', ['apps/v1/deployments']],
    ['autoscaling/v1/horizontalpodautoscalers', ['autoscaling/v1/horizontalpodautoscalers']],
    ['/v1/pods', ['v1/pods']],
    ['v1/pods', ['v1/pods']],
    ['v1/pods web-1 web-2', ['v1/pods web-1 web-2']],
    ['pods,apps/v1/deployments,svc', ['v1/pods', 'apps/v1/deployments', 'v1/services']],
    ['apps/v1/deployments,po web db', ['apps/v1/deployments web db', 'v1/pods web db']],
    ['v1/pods,apps/v1/deployments', ['v1/pods', 'apps/v1/deployments']],
    ['v1/pods apps/v1/deployments v1/pods', ['v1/pods', 'apps/v1/deployments']],
    ['pods/web.v1', ['v1/pods web.v1']],
  ])('reads %j', async (args, expected) => {
    expect(await read(args)).toEqual(expected);
  });

  it.each([
    [
      'pods pod/x',
      "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
    ],
    ['pods, svc', 'there is a blank beside a comma in the list of types'],
    ['pods ,svc', 'there is a blank beside a comma in the list of types'],
    ['pod/x pods', /^there is no need to specify a resource type as a separate argument/],
    ['v1/pods pod/x', /^there is no need to specify a resource type as a separate argument/],
    ['pod/a/b', 'arguments in resource/name form may not have more than one slash'],
    ['pod/', 'arguments in resource/name form must have a single resource and name'],
    ['/x', 'arguments in resource/name form must have a single resource and name'],
    ['pods,deploy/x', 'arguments in resource/name form must have a single resource and name'],
    ['all x', 'you must specify only one resource'],
    ['pods ', 'resource name may not be empty'],
    ['', 'You must specify the type of resource'],
  ])('refuses %j in kubectl’s words', async (args, message) => {
    await expect(read(args)).rejects.toMatchObject({
      code: 'argument',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each([
    ['foo', 'foo'],
    ['foo/x', 'foo'],
    ['deploy,foo x', 'foo'],
    ['pods,', ''],
    ['all,foo x', 'all'],
    ['apps/v2/deployments', 'apps/v2/deployments'],
    ['v1/web', 'v1/web'],
  ])('does not know the type in %j', async (args, named) => {
    await expect(read(args)).rejects.toMatchObject({
      code: 'discovery',
      message: `the server doesn't have a resource type ${JSON.stringify(named)}`,
    });
  });

  it('reads v1/pods as an object of the type v1 if there is one', async () => {
    const { mapper } = await served({ objects: [definition('v1s.odd.example.com')] });
    expect(await read('v1/pods', mapper)).toEqual(['odd.example.com/v1/v1s pods']);
  });

  it('finds a type that came after the cached snapshot', async () => {
    const { sandbox, clock, mapper } = await served({ objects: [] });
    await mapper.find('pods');
    sandbox.apply(APPLES);
    clock.tick(10_000);
    expect(await read('ma', mapper)).toEqual(['stable.example.com/v1/myapples']);
  });
});
