import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, type Loose } from '../../support/sandbox-requests.ts';

const clock = new FakeClock();
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const namesOf = (list: Loose) => list.items.map((item) => item.metadata.name);

/** Every page of a list, by following the tokens. */
async function pages(query: string): Promise<Loose[]> {
  const found: Loose[] = [];
  for (let token = ''; ; ) {
    const { body } = await ask(sandbox, 'GET', `${CONFIG_MAPS}?${query}${token && `&continue=${token}`}`);
    found.push(body);
    token = body.metadata.continue ?? '';
    if (token === '') return found;
  }
}

describe('paging', () => {
  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      sandbox.apply(configMapNamed(name, {}, { even: name === 'b' || name === 'd' ? 'yes' : 'no' }));
  });

  it('shows every object once and tells how many remain', async () => {
    const found = await pages('limit=2');
    expect(found.map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(found.map((page) => page.metadata.remainingItemCount)).toEqual([3, 1, undefined]);
  });

  it('shows the state of the first page on all pages, whatever happens meanwhile', async () => {
    const first = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=2`);
    sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/d');
    sandbox.apply([configMapNamed('bb'), configMapNamed('c', { changed: 'yes' }), configMapNamed('z')]);
    const rest = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=9&continue=${first.body.metadata.continue}`);
    expect(namesOf(rest.body)).toEqual(['c', 'd', 'e']);
    expect(rest.body.items[0]?.data).toEqual({});
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it('fills pages with what a selector takes and then tells no remainder', async () => {
    const found = await pages('limit=1&labelSelector=even%3Dyes');
    expect(found.flatMap((page) => namesOf(page) ?? [])).toEqual(['b', 'd']);
    expect(found.every((page) => page.metadata.remainingItemCount === undefined)).toBe(true);
  });

  it('answers 410 to a token from before compaction, with a token that goes on inconsistently', async () => {
    const first = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=2`);
    sandbox.apply(configMapNamed('bb'));
    sandbox.compact();
    const expired = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=9&continue=${first.body.metadata.continue}`);
    expect([expired.status, expired.body.reason]).toEqual([410, 'Expired']);
    const rest = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=9&continue=${expired.body.metadata.continue}`);
    expect(namesOf(rest.body)).toEqual(['bb', 'c', 'd', 'e']);
  });

  it('pages through all namespaces too', async () => {
    sandbox.apply({ ...configMapNamed('x'), metadata: { name: 'x', namespace: 'zoo' } });
    const first = await ask(sandbox, 'GET', '/api/v1/configmaps?limit=4');
    const rest = await ask(sandbox, 'GET', `/api/v1/configmaps?limit=4&continue=${first.body.metadata.continue}`);
    expect([...namesOf(first.body), ...namesOf(rest.body)]).toEqual(['a', 'b', 'c', 'd', 'e', 'x']);
  });
});

describe('resource versions', () => {
  it('waits up to three seconds for a version that is not reached yet', async () => {
    const next = Number(sandbox.resourceVersion) + 1;
    const answer = ask(sandbox, 'GET', `${CONFIG_MAPS}?resourceVersion=${next}`);
    await settled();
    sandbox.apply(configMapNamed('late'));
    expect(namesOf((await answer).body)).toEqual(['late']);
  });

  it('gives up on it with 504 and says how far it is', async () => {
    const answer = ask(sandbox, 'GET', `${CONFIG_MAPS}?resourceVersion=999&resourceVersionMatch=NotOlderThan`);
    await clock.advance(3_000);
    const { status, headers, body } = await answer;
    expect(status).toBe(504);
    expect(headers['retry-after']).toBe('1');
    expect(body.details.causes[0]?.reason).toBe('ResourceVersionTooLarge');
  });

  it('shows exactly the state that was asked for', async () => {
    sandbox.apply(configMapNamed('a', { n: '1' }));
    const version = sandbox.resourceVersion;
    sandbox.apply(configMapNamed('a', { n: '2' }));
    const { body } = await ask(sandbox, 'GET', `${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    expect(body.items[0]?.data.n).toBe('1');
    expect(body.metadata.resourceVersion).toBe(version);
  });

  it('leaves no timer behind a list that waited', async () => {
    const answer = ask(sandbox, 'GET', `${CONFIG_MAPS}?resourceVersion=${Number(sandbox.resourceVersion) + 1}`);
    await settled();
    sandbox.apply(configMapNamed('late'));
    await answer;
    expect(clock.pending).toBe(0);
  });
});

it.each([
  ['resourceVersionMatch=Exact&resourceVersion=0', 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"'],
  ['resourceVersionMatch=Odd&resourceVersion=5', 'Unsupported value: "Odd": supported values: "Exact", "NotOlderThan", ""'],
  ['sendInitialEvents=true', 'sendInitialEvents is forbidden for list'],
  ['watch=1&resourceVersionMatch=NotOlderThan', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'],
  ['watch=1&sendInitialEvents=true&resourceVersionMatch=Exact', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
])('refuses %s with 422', async (query, why) => {
  const { status, body } = await ask(sandbox, 'GET', `${CONFIG_MAPS}?${query}`);
  expect(status).toBe(422);
  expect(body.message).toContain(why);
});

it.each([
  ['/api/v1/pods', 'spec.foo=bar', 'field label not supported: spec.foo'],
  [CONFIG_MAPS, 'data.a=b', '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
])('refuses the field selector of %s with %s', async (path, selector, message) => {
  const { status, body } = await ask(sandbox, 'GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
  expect([status, body.message]).toEqual([400, message]);
});

it('selects pods by the fields kubectl uses, absent ones being empty', async () => {
  sandbox.apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'on' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running' },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'off' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  ]);
  const select = async (selector: string) =>
    namesOf((await ask(sandbox, 'GET', `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`)).body);
  expect(await select('spec.nodeName=n1')).toEqual(['on']);
  expect(await select('spec.nodeName=')).toEqual(['off']);
  expect(await select('status.phase!=Running')).toEqual(['off']);
  expect(await select('metadata.name=on,metadata.namespace=default')).toEqual(['on']);
});

it('prints for curl, on request, and as YAML', async () => {
  sandbox.apply(configMapNamed('a', { k: 'v' }));
  const get = async (headers: Record<string, string>, query = '') => {
    const response = await sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}/a${query}`, headers });
    let text = '';
    for await (const chunk of response.body) text += Buffer.from(chunk).toString('utf8');
    return text;
  };
  expect(await get({ 'user-agent': 'curl/8.1' })).toContain('{\n  "kind": "ConfigMap",\n');
  expect(await get({}, '?pretty=true')).toContain('\n  "data": {\n');
  expect(await get({ accept: 'application/yaml' })).toContain('\ndata:\n  k: v\n');
  expect(await get({ accept: 'application/vnd.kubernetes.protobuf,application/json' })).toMatch(/^\{"kind":"ConfigMap"/);
});
