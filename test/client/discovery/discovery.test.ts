import { describe, expect, it } from 'vitest';
import { Discovery } from '../../../src/client/discovery/discovery.ts';
import { formatGvr } from '../../../src/model/gvr.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { through } from '../../support/in-process.ts';
import { scriptedBytes } from '../../support/scripted-bytes.ts';
import { fruitOf, namesOf, serving } from '../../support/served-fruit.ts';
import { skipped } from '../../support/skipped.ts';
import { recording, recordingsMissing } from '../../support/wire-recording.ts';

/** A group of a server that leaves out all optional fields. */
const SPARSE = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'autoscaling' },
      versions: [
        {
          version: 'v2',
          resources: [{ resource: 'hpas', responseKind: { kind: 'Hpa' }, scope: 'Namespaced', verbs: [] }],
          freshness: 'Current',
        },
        {
          version: 'v1',
          resources: [
            { resource: 'hpas', responseKind: { kind: 'Hpa' }, verbs: null },
            { resource: 'old', responseKind: { kind: 'Old' } },
          ],
        },
      ],
    },
  ],
};

describe('Discovery', () => {
  it.each(['aggregated', 'legacy'] as const)(
    'reads every type in the %s form, the preferred version first',
    async (form) => {
      const { transport, requests } = await serving(form);
      const { types, failures } = await new Discovery(transport).snapshot();
      expect(requests.length === 2).toBe(form === 'aggregated');
      expect(failures).toEqual([]);
      expect(fruitOf(types)).toEqual([
        'fruit.example.com/v1/apples!',
        'fruit.example.com/v1beta1/apples',
        'fruit.example.com/v1beta1/pears!',
      ]);
      expect(namesOf(types).filter((name) => name.startsWith('autoscaling/'))).toEqual([
        'autoscaling/v2/horizontalpodautoscalers!',
        'autoscaling/v1/horizontalpodautoscalers',
      ]);
      expect(types.find(({ kind }) => kind === 'Apple')).toEqual({
        gvr: { group: 'fruit.example.com', version: 'v1', resource: 'apples' },
        kind: 'Apple',
        singular: 'apple',
        shortNames: ['ap'],
        categories: ['all', 'fruit'],
        namespaced: true,
        verbs: expect.arrayContaining(['create', 'get', 'list', 'patch', 'watch']),
        subresources: [],
        preferred: true,
      });
      expect(types.find(({ kind }) => kind === 'Pod')).toMatchObject({
        subresources: expect.arrayContaining(['status', 'log']),
      });
    },
  );

  it('asks for the aggregated form first', async () => {
    const { transport, requests } = await serving();
    await new Discovery(transport).snapshot();
    for (const { headers } of requests) {
      expect(headers?.accept).toMatch(/^application\/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,/);
    }
  });

  it('gives the same types by either form', async () => {
    const inOrder = async (form: 'aggregated' | 'legacy') => {
      const { types } = await new Discovery((await serving(form)).transport).snapshot();
      return types.map((t) => ({ ...t, verbs: [...t.verbs].sort(), subresources: [...t.subresources].sort() }));
    };
    expect(await inOrder('legacy')).toEqual(await inOrder('aggregated'));
  });

  it('reads a field that is left out as empty', async () => {
    const { types } = await new Discovery(
      scriptedBytes(({ path }) => (path === '/apis' ? { body: SPARSE } : undefined)),
    ).snapshot();
    expect(types.map(({ gvr, kind, verbs, preferred }) => [formatGvr(gvr), kind, verbs, preferred])).toEqual([
      ['autoscaling/v2/hpas', 'Hpa', [], true],
      ['autoscaling/v1/hpas', 'Hpa', [], false],
      ['autoscaling/v1/old', 'Old', [], true],
    ]);
  });

  it.skipIf(recordingsMissing)(
    `gives the same types of a real server by either form${skipped(recordingsMissing)}`,
    async () => {
      const wire = recording('01-discovery.json');
      const byForm = (form: 'legacy' | 'aggregated') =>
        scriptedBytes(({ path }) => {
          const found = wire.find(
            (e) =>
              e.request.path === path &&
              (e.request.headers.accept ?? '').includes('apidiscovery') === (form === 'aggregated'),
          );
          return (
            found && {
              status: found.response.status,
              headers: { ...found.response.headers },
              body: found.response.body,
            }
          );
        });
      const both = await Promise.all([
        new Discovery(byForm('aggregated')).snapshot(),
        new Discovery(byForm('legacy')).snapshot(),
      ]);
      // Only core/v1 and apps/v1 were recorded in the legacy form.
      const [a, b] = both.map(({ types }) => types.filter(({ gvr }) => ['', 'apps'].includes(gvr.group)));
      const inOrder = (types: typeof a) => types?.map((t) => ({ ...t, subresources: [...t.subresources].sort() }));
      expect(inOrder(b)).toEqual(inOrder(a));
      expect(a?.length).toBeGreaterThan(20);
    },
  );

  it('gives the groups that answer, and names the others', async () => {
    const { sandbox, transport } = await serving('legacy');
    sandbox.faults.add({
      fault: { kind: 'status', code: 503 },
      match: { path: '/apis/fruit.example.com/v1', method: 'GET' },
    });
    const { types, failures } = await new Discovery(transport).snapshot();
    expect(fruitOf(types)).toEqual(['fruit.example.com/v1beta1/apples!', 'fruit.example.com/v1beta1/pears!']);
    expect(failures).toMatchObject([
      { group: 'fruit.example.com/v1', message: 'the server is currently unable to handle the request' },
    ]);
  });

  it('names the groups whose own server does not answer', async () => {
    const stale = {
      kind: 'APIGroupDiscoveryList',
      items: [
        { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', resources: [], freshness: 'Stale' }] },
      ],
    };
    const { transport } = await serving();
    const script = scriptedBytes(() => ({ body: stale }));
    const beside = through(transport, (request, send) =>
      request.path === '/apis' ? script.request(request) : send(request),
    );
    const snapshot = await new Discovery(beside).snapshot();
    expect(snapshot.failures.map((f) => f.group)).toEqual(['metrics.k8s.io/v1beta1']);
    expect(new Set(snapshot.types.map(({ gvr }) => gvr.group))).toEqual(new Set(['']));
  });

  it.each([
    [
      401,
      'an unknown token',
      () => 'wrong',
      'credentials',
      /^You must be logged in to the server \(Unauthorized\)$/,
      /log in again/,
    ],
    [
      403,
      'a user without the role',
      (sandbox: Sandbox) => {
        sandbox.delete(
          { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
          'system:discovery',
        );
        return sandbox.tokenFor({ user: 'nobody' });
      },
      'transport',
      /^cannot find out what the server has: .*User "nobody" cannot get path "\/api"/,
      /whoami/,
    ],
  ])('rejects when no type could be read: %i to %s', async (_code, _, token, code, message, hint) => {
    const { transport } = await serving('aggregated', { rbac: true, token });
    await expect(new Discovery(transport).snapshot()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it('fetches once for concurrent and later callers until it is invalidated, and recovers from a failure', async () => {
    const { sandbox, transport, requests } = await serving();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, times: 2 });
    const discovery = new Discovery(transport);
    await expect(discovery.snapshot()).rejects.toThrow('currently unable');
    await Promise.all([discovery.snapshot(), discovery.snapshot()]);
    await discovery.snapshot();
    expect(requests).toHaveLength(4);
    await discovery.invalidate();
    await discovery.snapshot();
    expect(requests).toHaveLength(6);
  });

  it('is fresh for ten seconds after a fetch', async () => {
    const { transport, clock } = await serving();
    const discovery = new Discovery(transport, { clock });
    expect(discovery.isFresh()).toBe(false);
    await discovery.snapshot();
    expect(discovery.isFresh()).toBe(true);
    clock.tick(9_999);
    expect(discovery.isFresh()).toBe(true);
    clock.tick(1);
    expect(discovery.isFresh()).toBe(false);
  });
});

describe('a discovery that fails', () => {
  const AGGREGATED = { kind: 'APIGroupDiscoveryList', items: [] };

  it.each([
    ['an HTML page', '<html><body>log in</body></html>', 'an HTML page'],
    ['text', 'hello', 'text that is not JSON'],
    ['null', 'null', 'JSON without a kind'],
    ['a list', '[]', 'JSON without a kind'],
    ['another kind', '{"kind":"Status","status":"Success"}', 'an object of kind "Status"'],
  ])('names the kind of an answer that is %s', async (_, body, named) => {
    const transport = scriptedBytes(() => ({ body }));
    await expect(new Discovery(transport).snapshot()).rejects.toMatchObject({
      code: 'decode',
      message: `the answer to GET /api is not a list of types but ${named}`,
      hint: expect.stringContaining('login page'),
    });
    const half = scriptedBytes(({ path }) => ({ body: path === '/api' ? body : AGGREGATED }));
    expect((await new Discovery(half).snapshot()).failures).toMatchObject([
      { group: 'core', message: expect.stringContaining(named) },
    ]);
  });

  it.each([
    ['a null group', { items: [null] }, 'apis'],
    ['groups that are no list', { items: { a: 1 } }, 'apis'],
    ['a null version', { items: [{ metadata: { name: 'apps' }, versions: [null] }] }, 'apps'],
    [
      'a null type',
      { items: [{ metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [null] }] }] },
      'apps/v1',
    ],
  ])('ignores %s, and counts it as a failure of its group', async (_, body, group) => {
    const transport = scriptedBytes(({ path }) => ({
      body: path === '/apis' ? { ...AGGREGATED, ...body } : AGGREGATED,
    }));
    const { types, failures } = await new Discovery(transport).snapshot();
    expect({ types, failures }).toEqual({ types: [], failures: [{ group, message: 'its answer is damaged' }] });
  });

  it('ignores fields of a wrong type', async () => {
    const odd = {
      resource: 'things',
      responseKind: { kind: 7 },
      verbs: 'all',
      shortNames: [null, 't'],
      categories: {},
      subresources: [null],
    };
    const items = [
      {
        metadata: { name: 'x' },
        versions: [{ version: 'v1', resources: [odd, { responseKind: { kind: 'Nameless' } }] }],
      },
    ];
    const { types } = await new Discovery(scriptedBytes(() => ({ body: { ...AGGREGATED, items } }))).snapshot();
    const known = { kind: '', verbs: [], shortNames: ['t'], categories: [], subresources: [] };
    expect(types).toMatchObject([known, known]); // of /api and of /apis, and none without a name
  });

  it('repeats a request whose connection breaks, before or within the response', async () => {
    const { transport } = await serving();
    let broken = 0;
    const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const breaking = through(transport, async (request, send) => {
      if (request.path !== '/api' || ++broken > 3) return send(request);
      if (broken % 2 === 1) throw reset();
      const answer = await send(request);
      // biome-ignore lint/correctness/useYield: it breaks before the first piece
      const body = (async function* () {
        throw reset();
      })();
      return { ...answer, body };
    });
    const { types, failures } = await new Discovery(breaking).snapshot();
    expect(broken).toBe(4);
    expect(failures).toEqual([]);
    expect(types.some(({ kind }) => kind === 'Pod')).toBe(true);
  });

  it('gives up after ten attempts of each request', async () => {
    const { transport } = await serving();
    let requests = 0;
    const broken = through(transport, async () => {
      requests++;
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    });
    await expect(new Discovery(broken).snapshot()).rejects.toThrow('reset');
    expect(requests).toBe(20);
  });
});
