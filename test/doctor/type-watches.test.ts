import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { CheckedType } from '../../src/doctor/type-reads.ts';
import {
  bookmarksFound,
  PROXY,
  type StreamedList,
  streamingListFound,
  watchFound,
} from '../../src/doctor/type-watches.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { failure } from '../../src/model/status.ts';
import { pod } from '../support/fixture.ts';
import { type InProcess, inProcess, through } from '../support/in-process.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true } as ResourceType;

/** The checks as they ask a cluster with pods, and the paths that they asked for. */
const asking = ({ client }: Pick<InProcess, 'client'>): CheckedType => ({
  client,
  type,
  namespace: 'shop',
  signal: new AbortController().signal,
});

/** A server before streaming lists: it refuses the parameter, as a kube-apiserver without WatchList does. */
function older({ transport, clock }: InProcess) {
  const status = failure(
    422,
    'Invalid',
    'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
  );
  const refusing = through(transport, async (request, send) => {
    const answer = await send(request);
    if (!request.path.includes('sendInitialEvents')) return answer;
    const body = (async function* () {
      yield Buffer.from(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status }));
    })();
    return { ...answer, status: 422, body };
  });
  return { client: createClient(refusing, { clock }) };
}

describe('a streaming list', () => {
  it('is seen with its bookmark, and no object is sent', async () => {
    await using cluster = await inProcess({ objects: [pod('web-1'), pod('web-2')] });
    let seen: StreamedList | undefined;
    const found = await streamingListFound(asking(cluster), (list) => {
      seen = list;
    });
    expect(found).toEqual({ status: 'ok', found: 'the server sends initial lists as a stream' });
    expect(seen).toEqual({ isSupported: true, hasBookmark: true });
    expect(cluster.client.stats().map(({ events }) => events)).toEqual([1]);
    expect(await bookmarksFound(asking(cluster), '1', seen)).toEqual({
      status: 'ok',
      found: 'the server sends bookmarks',
    });
  });

  it('that the server does not have is no fault', async () => {
    await using cluster = await inProcess();
    let seen: StreamedList | undefined;
    const found = await streamingListFound(asking(older(cluster)), (list) => {
      seen = list;
    });
    expect(found).toMatchObject({ status: 'ok', found: expect.stringMatching(/^the server has no streaming lists/) });
    expect(seen).toEqual({ isSupported: false, hasBookmark: false });
  });

  it('that the server ends with an error, as one does whose etcd cannot report progress, is no fault', async () => {
    await using cluster = await inProcess();
    const message = 'the required storage feature RequestWatchProgress is disabled';
    const line = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', status: 'Failure', code: 500, message } })}\n`;
    const ending = through(cluster.transport, async (request, send) => {
      const answer = await send(request);
      if (!request.path.includes('sendInitialEvents')) return answer;
      return {
        ...answer,
        body: (async function* () {
          yield Buffer.from(line);
        })(),
      };
    });
    let seen: StreamedList | undefined;
    const found = await streamingListFound(
      asking({ client: createClient(ending, { clock: cluster.clock }) }),
      (list) => {
        seen = list;
      },
    );
    expect(found).toMatchObject({ status: 'ok', found: expect.stringContaining(message) });
    expect(seen).toEqual({ isSupported: false, hasBookmark: false });
  });

  it('that the server refuses for another reason is a problem', async () => {
    await using cluster = await inProcess();
    cluster.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { watch: true } });
    expect((await streamingListFound(asking(cluster), () => {})).status).toBe('problem');
  });

  it('that ends before its bookmark is a problem, with the proxy as the likely cause', async () => {
    await using cluster = await inProcess();
    cluster.sandbox.faults.add({ fault: { kind: 'cut' }, match: { watch: true } });
    expect(await streamingListFound(asking(cluster), () => {})).toMatchObject({ status: 'problem', fix: PROXY });
    expect(PROXY).toContain('proxy');
  });
});

it('a plain watch shows bookmarks where there are no streaming lists', async () => {
  await using cluster = await inProcess({ bookmarkIntervalMs: 1_000 });
  const { resourceVersion } = cluster.sandbox;
  const waiting = bookmarksFound(asking(cluster), resourceVersion, { isSupported: false, hasBookmark: false });
  await expect.poll(() => cluster.sent.length).toBeGreaterThan(0);
  await cluster.clock.advance(1_500);
  expect(await waiting).toEqual({ status: 'ok', found: 'the server sends bookmarks' });
});

it('a watch that is accepted works; one that is refused rejects', async () => {
  await using cluster = await inProcess();
  const { resourceVersion } = cluster.sandbox;
  expect(await watchFound(asking(cluster), resourceVersion)).toEqual({ status: 'ok', found: 'a watch works' });
  cluster.sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { watch: true } });
  await expect(watchFound(asking(cluster), resourceVersion)).rejects.toThrow();
});
