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

  it('shows every object once, and the number of remaining objects', async () => {
    const found = await pages('limit=2');
    expect(found.map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(found.map((page) => page.metadata.remainingItemCount)).toEqual([3, 1, undefined]);
  });

  it('shows the state of the first page on all pages, whatever is written meanwhile', async () => {
    const first = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=2`);
    sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/d');
    sandbox.apply([configMapNamed('bb'), configMapNamed('c', { changed: 'yes' }), configMapNamed('z')]);
    const rest = await ask(sandbox, 'GET', `${CONFIG_MAPS}?limit=9&continue=${first.body.metadata.continue}`);
    expect(namesOf(rest.body)).toEqual(['c', 'd', 'e']);
    expect(rest.body.items[0]?.data).toEqual({});
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it('fills pages with selected objects, and then shows no number of remaining ones', async () => {
    const found = await pages('limit=1&labelSelector=even%3Dyes');
    expect(found.flatMap((page) => namesOf(page) ?? [])).toEqual(['b', 'd']);
    expect(found.every((page) => page.metadata.remainingItemCount === undefined)).toBe(true);
  });

  it('answers 410 to a token from before compaction, with a token that continues inconsistently', async () => {
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

  it('answers 504 when the version is not reached in that time', async () => {
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
