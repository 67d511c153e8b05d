import { describe, expect, it } from 'vitest';
import { clusterStory, type StorySession } from '../../../src/cli/story/cluster-story.ts';
import type { StoryRange } from '../../../src/cli/story/recorded-story.ts';
import { createClient } from '../../../src/client/client.ts';
import type { TransportResponse } from '../../../src/client/http/transport.ts';
import { plainPainter } from '../../../src/output/painter.ts';
import { StoryPrinter } from '../../../src/story/story-printer.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { type InProcess, inProcess, through } from '../../support/in-process.ts';
import { Cluster, INCIDENTS, type Incident, incident, SHOP } from '../../support/incidents.ts';
import { binding, role } from '../../support/rbac.ts';

interface Told {
  readonly lines: readonly string[];
  readonly notices: readonly string[];
}

/** The story of an object, as `history --story` prints it. */
async function storyOf(
  { client, clock }: InProcess,
  { resource, name }: Pick<Incident, 'resource' | 'name'>,
  {
    json = false,
    showSecrets = false,
    ...flags
  }: { json?: boolean; logs?: number; range?: StoryRange; showSecrets?: boolean } = {},
): Promise<Told> {
  let text = '';
  const notices: string[] = [];
  const write = (part: string) => {
    text += part;
    return true;
  };
  const session: StorySession = {
    client,
    clock,
    signal: new AbortController().signal,
    notice: (line) => void notices.push(line),
    io: { stdout: { write } },
  };
  const type = await client.mapper.resolve(
    resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`,
  );
  await clusterStory(
    session,
    { type, names: [name], versioned: true },
    {
      namespace: SHOP,
      printer: new StoryPrinter({ painter: plainPainter, isJson: json }),
      range: {},
      logs: undefined,
      redactor: new Redactor({ showSecrets }),
      ...flags,
    },
  );
  return { lines: text.split('\n').slice(0, -1), notices };
}

interface Why {
  readonly ready: boolean;
  readonly causes: readonly { readonly reason: string; readonly text: string; readonly objects: readonly string[] }[];
}

/** What `-o json` prints first. */
async function whyOf(place: InProcess, made: Pick<Incident, 'resource' | 'name'>): Promise<Why> {
  const [first = ''] = (await storyOf(place, made, { json: true })).lines;
  return JSON.parse(first) as Why;
}

describe('the first line of a story names the cause, and nothing that is not so', () => {
  it('there are at least thirty incidents', () => {
    expect(INCIDENTS.length).toBeGreaterThanOrEqual(30);
  });

  it.each(INCIDENTS.map((title, i) => [title, i + 1] as const))('%s', async (title, seed) => {
    await using place = await inProcess({ seed });
    const made = incident(title, seed, place.clock.now());
    place.sandbox.apply(made.objects);
    if (made.isDeleted) place.sandbox.delete(made.resource, `${SHOP}/${made.name}`);
    const { ready, causes } = await whyOf(place, made);
    expect([ready, causes.map(({ reason }) => reason)]).toEqual([false, [made.reason]]);
    expect(`${causes[0]?.text}${(causes[0]?.objects.length ?? 0) > 1 ? ' (and 1 more)' : ''}`).toMatch(made.says);
    const named = causes.flatMap(({ objects }) => objects);
    expect(named.filter((each) => /\/(web|cart)/.test(each))).toEqual([]);
  });
});

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const CHECKOUT = { resource: DEPLOYMENTS, name: 'checkout' };

describe('what a cluster still knows of a story', () => {
  it('an object that is ready says so, and its past is in order, with times of its own', async () => {
    await using place = await inProcess({});
    const made = new Cluster(1, place.clock.now());
    const { set } = made.deployment('checkout', { replicas: 1, ready: 1, revisions: 2 });
    made.recovered(made.owner('ReplicaSet', set), 'checkout-a');
    made.noise(set, 'Deployment');
    place.sandbox.apply(made.objects);
    const { lines } = await storyOf(place, CHECKOUT);
    expect(lines[0]).toBe('deployment/checkout is ready (Deployment is available. Replicas: 1)');
    const times = lines.slice(1).map((line) => line.slice(0, 20));
    expect(times).toEqual(times.toSorted());
    expect(lines.slice(1).map((line) => line.slice(22))).toEqual(
      expect.arrayContaining([
        'replicaset/checkout-6d4f5b7c91  revision 2 begins: registry.example/checkout:1.2',
        'pod/checkout-a  container app ended with exit code 137 (OOMKilled) after 9s',
        'pod/checkout-a  container app started (restart 2)',
        expect.stringMatching(/pod\/checkout-a {2}FailedScheduling: .* \(3 times\) {2}\(default-scheduler\)$/),
      ]),
    );
    expect(lines.filter((line) => /web|cart/.test(line))).toEqual([]);
    expect((await storyOf(place, CHECKOUT, { range: { limit: 2 } })).lines).toHaveLength(3);
  });

  it('where no rule matches it says what is known, and which types could not be read', async () => {
    await using place = await inProcess({
      rbac: true,
      token: (sandbox) => {
        const rule = (group: string, ...resources: string[]) => ({
          apiGroups: [group],
          resources,
          verbs: ['get', 'list'],
        });
        sandbox.apply([
          role('reader', rule('apps', 'deployments', 'replicasets'), rule('', 'pods')),
          binding('reader', ['Role', 'reader'], { kind: 'User', name: 'vic' }),
        ]);
        return sandbox.tokenFor({ user: 'vic' });
      },
    });
    const made = new Cluster(1, place.clock.now());
    const { set } = made.deployment('checkout', { replicas: 1 });
    const owner = made.owner('ReplicaSet', set);
    const pod = made.pod('checkout-a', { owner, containers: [made.container(made.running(60))] });
    made.podEvent(pod, 'Unhealthy', 'Readiness probe failed: x');
    place.sandbox.apply(made.objects);
    const { lines, notices } = await storyOf(place, CHECKOUT);
    expect(lines[0]).toMatch(
      /^deployment\/checkout is not ready \(Available: 0\/1\): no cause is known; .*\bevents\b.* could not be read$/,
    );
    expect(notices).toContain('not in this story: events (not allowed)');
  });

  it('of a name that is not there it says where it looked', async () => {
    await using place = await inProcess({
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SHOP } }],
    });
    await expect(storyOf(place, CHECKOUT)).rejects.toMatchObject({
      message: 'deployments.apps "checkout" not found (NotFound)',
      hint: 'looked in namespace shop; -n names another',
    });
  });

  it('Secrets that an object owns show marks', async () => {
    await using place = await inProcess({});
    const made = new Cluster(1, place.clock.now());
    const own = made.meta('login');
    made.add({ apiVersion: 'v1', kind: 'Secret', metadata: own, data: { password: 'aHVudGVyMg==' } });
    place.sandbox.apply(made.objects);
    const { lines } = await storyOf(place, {
      resource: { group: '', version: 'v1', resource: 'secrets' },
      name: 'login',
    });
    expect(lines.join()).not.toMatch(/aHVudGVyMg|hunter2/);
  });
});

describe('log lines around a failure', () => {
  /** A crash of `checkout-a`, whose log is on a kubelet, which the sandbox has not. */
  async function crashed(log: (query: URLSearchParams) => string) {
    const place = await inProcess({});
    const made = new Cluster(1, place.clock.now());
    const { set } = made.deployment('checkout', { replicas: 1 });
    made.add({ apiVersion: 'v1', kind: 'Secret', metadata: made.meta('login'), data: { password: 'aHVudGVyMg==' } });
    made.pod('checkout-a', {
      owner: made.owner('ReplicaSet', set),
      spec: {
        containers: [{ name: 'app', image: 'x', env: [{ name: 'P', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }] }], // biome-ignore format: one line
      },
      containers: [made.container(made.waiting('CrashLoopBackOff', 'x'), { last: made.ended(1, 30), restarts: 3 })],
    });
    place.sandbox.apply(made.objects);
    const transport = through(place.transport, async (request, send) => {
      const [path = '', query = ''] = request.path.split('?');
      if (!path.endsWith('/pods/checkout-a/log')) return await send(request);
      const answer: TransportResponse = { status: 200, headers: {}, body: bytes(log(new URLSearchParams(query))) };
      return answer;
    });
    return { ...place, client: createClient(transport, { clock: place.clock }) };
  }

  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }

  it('are those of the run that failed, below its line, with marks for values of the Secrets of its pod', async () => {
    let asked = '';
    await using place = await crashed((query) => {
      asked = query.toString();
      return 'one\nno login with hunter2 \u001b[31m!\n';
    });
    const { lines } = await storyOf(place, CHECKOUT, { logs: 5 });
    expect(asked).toBe('container=app&tailLines=5&previous=true');
    const at = lines.findIndex((line) => line.includes('ended with exit code 1'));
    expect(lines[at + 1]).toBe('    | one');
    expect(lines[at + 2]).toMatch(/^ {4}\| no login with hmac:[0-9a-f]{8} \S+31m!$/);
    expect(lines[at + 2]).not.toContain('\u001b');
    const shown = await storyOf(place, CHECKOUT, { logs: 5, showSecrets: true });
    expect(shown.lines.join()).toContain('no login with hunter2');
  });

  it('say why there are none', async () => {
    await using empty = await crashed(() => '');
    expect((await storyOf(empty, CHECKOUT, { logs: 1 })).lines).toContain('    | (its log is empty)');
    await using broken = await crashed(() => {
      throw new Error('the kubelet does not answer');
    });
    expect((await storyOf(broken, CHECKOUT, { logs: 1 })).lines).toContainEqual(
      expect.stringMatching(/^ {4}\| \(its log cannot be read: .*the kubelet does not answer/),
    );
  });
});
