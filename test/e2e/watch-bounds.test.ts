import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { type SocketScript, socketScript } from '../support/socket-script.ts';

const MIB = 1024 * 1024;
/**
 * The program itself, the 64 MiB that it may hold of one object, their copy while the buffer grows, and what is on the
 * way.
 */
const MOST_MEMORY = 420e6;

const PODS = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['list', 'watch'] };
const FIXED: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '36' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', groups: [] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [PODS] },
};
const metadata = (name: string, resourceVersion: string) => ({
  name,
  namespace: 'shop',
  uid: `u-${name}`,
  resourceVersion,
});
const pod = (name: string, resourceVersion: string) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: metadata(name, resourceVersion),
});
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
/** What a line or an item of any length begins with, and how it ends. */
const open = (object: object) => JSON.stringify({ ...object, data: '' }).slice(0, -2);
const CLOSE = '"}';

let cli: Cli | undefined;
afterEach(() => cli?.child.kill('SIGKILL'));

/** Peak of the resident memory of the program, bytes; 0 once it has ended. */
function peakMemory(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${cli?.child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * A server of one pod; `list` and `watch` answer after what is the same for all. `peak` is the most memory that the
 * program had.
 */
interface Server extends SocketScript {
  peak: number;
}

interface Answers {
  list?: (send: Send, response: ServerResponse) => Promise<void>;
  watch: (send: Send, n: number) => Promise<void>;
}
type Send = (text: string | Buffer, times?: number) => Promise<void>;

async function serve({ list, watch }: Answers): Promise<Server> {
  let watches = 0;
  const server: SocketScript = await socketScript((request, response) => {
    const url = new URL(request.url ?? '', 'http://server');
    response.setHeader('content-type', 'application/json');
    const fixed = FIXED[url.pathname];
    if (fixed) return void response.end(JSON.stringify(fixed));
    const send = sender(response, () => {
      all.peak = Math.max(all.peak, peakMemory());
    });
    if (url.searchParams.get('watch')) {
      response.flushHeaders();
      void watch(send, ++watches);
    } else if (list) void list(send, response);
    else
      response.end(
        JSON.stringify({
          kind: 'PodList',
          apiVersion: 'v1',
          metadata: { resourceVersion: '10' },
          items: [pod('web', '9')],
        }),
      );
  });
  const all = Object.assign(server, { peak: 0 });
  return all;
}

/** Sends a text some times, as fast as it is taken; stops when the reader leaves. */
function sender(response: ServerResponse, sent: () => void): Send {
  return async (text, times = 1) => {
    for (let i = 0; i < times && !response.destroyed; i++) {
      sent();
      if (response.write(text)) continue;
      await new Promise<void>((resolve) => {
        const go = () => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.on('drain', go).on('close', go);
      });
    }
  };
}

const FILL = Buffer.alloc(MIB, 'x');
const watchPods = (url: string, ...args: string[]) => {
  cli = new Cli(['watch', 'pods', '-A', '-o', 'json', '--server', url, ...args]);
  return cli;
};

describe('a line of a watch beyond 64 MiB', () => {
  const large = open({ type: 'MODIFIED', object: pod('web', '11') });

  async function sendLarge(send: Send, mebibytes: number): Promise<void> {
    await send('{"type":"MODIFIED","object":');
    await send(open(pod('web', '11')));
    await send(FILL, mebibytes);
    await send(`${CLOSE}}\n`);
  }

  it('is reported with its object, offset and limit, the stream goes on at once and without a relist, and memory stays bounded', async () => {
    await using server = await serve({
      watch: async (send) => {
        await sendLarge(send, 300);
        await send(line('ADDED', pod('next', '12')));
      },
    });
    const running = watchPods(server.url, '--markers', '--limit', '2');
    const { code, stderr } = await running.ended();
    const shown = running.events<{ type: string; key?: string; summary?: object }>();
    expect(shown.filter(({ key }) => key).map(({ type, key }) => `${type} ${key}`)).toEqual([
      'ADDED shop/web',
      'ADDED shop/next',
    ]);
    expect(stderr).toContain(
      'pods: MODIFIED of "shop/web" was not stored: a line of the watch about "shop/web", from byte 0 of the response, is longer than the limit of 67108864 bytes (64 MiB); the cache goes on without that change',
    );
    expect(stderr).toContain('1 change not cached');
    expect(server.seen.filter(({ url }) => url?.startsWith('/api/v1/pods'))).toHaveLength(2);
    expect(server.peak).toBeLessThan(MOST_MEMORY);
    expect(code).toBe(0);
  });

  it('is lost continuity: --strict ends with 4', async () => {
    await using server = await serve({ watch: (send) => sendLarge(send, 65) });
    const { code, stderr } = await watchPods(server.url, '--strict').ended();
    expect(stderr).toContain('is longer than the limit of 67108864 bytes (64 MiB)');
    expect(code).toBe(4);
  });

  it.each([
    ['without an end', large],
    ['that is no event, without an end', ''],
  ])('%s ends the command with an error and exit code 1, and memory stays bounded', async (_, begin) => {
    await using server = await serve({
      watch: async (send) => {
        await send(begin);
        await send(FILL, 5000);
      },
    });
    const { code, stderr } = await watchPods(server.url).ended();
    expect(stderr).toMatch(
      /^error: .*a line of the watch.*, from byte 0 of the response, is longer than the limit of 67108864 bytes \(64 MiB\)$/m,
    );
    expect(stderr).toMatch(/^hint: /m);
    expect(server.peak).toBeLessThan(MOST_MEMORY);
    expect(code).toBe(1);
  });
});

describe('a list beyond its limits', () => {
  const head = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[';

  it.each([
    ['watch', ['watch', 'pods', '-A']],
    ['query', ['query', 'pods', '-A']],
  ])('of one item ends %s with an error that names it, after one try, and memory stays bounded', async (_, args) => {
    await using server = await serve({
      watch: async () => {},
      list: async (send) => {
        await send(head + open({ metadata: metadata('web', '9') }));
        await send(FILL, 5000);
      },
    });
    cli = new Cli([...args, '-o', 'json', '--server', server.url]);
    const { code, stderr } = await cli.ended();
    expect(stderr).toContain(
      `error: failed to list pods: an item of the list ("shop/web"), from byte ${head.length} of the response, is longer than the limit of 67108864 bytes (64 MiB)`,
    );
    expect(server.seen.filter(({ url }) => url?.startsWith('/api/v1/pods'))).toHaveLength(1);
    expect(server.peak).toBeLessThan(MOST_MEMORY);
    expect(code).toBe(1);
  });

  it('ends a watch that has to list again, instead of listing without end', async () => {
    let lists = 0;
    await using server = await serve({
      watch: (send) =>
        send(line('ERROR', { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 })),
      list: async (send, response) => {
        if (++lists === 1) return void response.end(`${head}]}`);
        await send(head + open({ metadata: metadata('web', '9') }));
        await send(FILL, 5000);
      },
    });
    const { code, stderr } = await watchPods(server.url).ended();
    expect(stderr).toContain('error: failed to list pods: an item of the list ("shop/web")');
    expect(lists).toBe(2);
    expect(code).toBe(1);
  });

  it('is not waited for when gzip makes ever more of nothing', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(100 * MIB, ' ')]));
    await using server = await serve({
      watch: async () => {},
      list: async (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(bomb);
      },
    });
    const { code, stderr } = await watchPods(server.url).ended();
    expect(stderr).toMatch(/error: failed to list pods: the answer's gzip expands more than the limit of 400 times/);
    expect(server.peak).toBeLessThan(MOST_MEMORY);
    expect(code).toBe(1);
  });
});
