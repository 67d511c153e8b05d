import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type ConfigMapServer, configMapServer, configMapText } from '../support/config-map-server.ts';

const HEAP_MIB = 56;
const MIB = 1024 * 1024;
const HEAD = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"';

let made = 0;
const objects = (count: number, spec: string) =>
  Array.from({ length: count }, () => configMapText(`map-${made++}`, 1, spec)).join(',');

const SMALL = JSON.stringify({ text: 'x'.repeat(400) });
const LARGE = JSON.stringify({ text: 'x'.repeat(4000) });

/** Writes text until the reader leaves. */
function forever(response: ServerResponse, text: () => string): void {
  if (response.destroyed) return;
  if (response.write(text())) setImmediate(forever, response, text);
  else response.once('drain', () => forever(response, text));
}

const ANSWERS: Readonly<Record<string, (response: ServerResponse, isWatch: boolean) => void>> = {
  'pages that go on and on': (response, isWatch) => {
    if (isWatch) return void response.flushHeaders();
    response.end(`${HEAD.slice(0, -1)}5","continue":"${made}"},"items":[${objects(500, SMALL)}]}`);
  },
  'one body that goes on and on': (response, isWatch) => {
    if (isWatch) return void response.flushHeaders();
    response.write(`${HEAD}},"items":[${objects(1, SMALL)}`);
    forever(response, () => `,${objects(50, SMALL)}`);
  },
  'a watch that goes on and on': (response, isWatch) => {
    if (!isWatch) return void response.end(`${HEAD}},"items":[]}`);
    forever(response, () => `{"type":"ADDED","object":${objects(1, SMALL)}}\n`);
  },
};

const servers = new Map<string, ConfigMapServer>();
let large: ConfigMapServer;
let largeBytes = 0;
beforeAll(async () => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const server = await configMapServer(({ isWatch }, response) => {
      response.setHeader('content-type', 'application/json');
      answer(response, isWatch);
    });
    servers.set(name, server);
  }
  large = await configMapServer(({ isWatch, send }, response) => {
    if (isWatch) return void response.setHeader('content-type', 'application/json').flushHeaders();
    const text = `${HEAD}},"items":[${objects(10_200, LARGE)}]}`;
    largeBytes = text.length;
    send(text);
  });
});
afterAll(async () => {
  for (const server of [...servers.values(), large]) await server[Symbol.asyncDispose]();
});

const withSmallHeap = (env: NodeJS.ProcessEnv) => ({ ...env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });

describe('what has no end ends in an error, not in the end of the heap', () => {
  it.each([
    ['query', 'pages that go on and on', 'list', 'objects'],
    ['watch', 'pages that go on and on', 'list', 'objects'],
    ['query', 'one body that goes on and on', 'list', 'objects'],
    ['watch', 'one body that goes on and on', 'list', 'objects'],
    ['watch', 'a watch that goes on and on', 'watch', 'events'],
  ])('%s: %s', { timeout: 120_000 }, async (command, form, verb, counted) => {
    const env = withSmallHeap((servers.get(form) as ConfigMapServer).env);
    const kept = command === 'query' ? ['--sort-by', 'object.metadata.name'] : []; // in their order they are not kept
    const line = [command, 'configmaps', '-n', 'shop', '-o', 'name', ...kept];
    const { code, signal, stderr } = await run(line, { env });
    expect([code, signal, stderr]).toEqual([
      1,
      null,
      expect.stringMatching(
        new RegExp(
          `error: .*the ${verb} of v1/configmaps does not fit into the memory of this process: \\d+ of the ${HEAP_MIB} MiB of its heap are in use after [\\d,]+ ${counted} \\(\\d+ MiB\\)\\nhint: read less \\(a namespace, a selector\\), or give Node more memory`,
        ),
      ),
    ]);
  });
});

it.each(['query', 'watch'])(
  '%s: a list of more than seven tenths of the heap is read',
  { timeout: 120_000 },
  async (command) => {
    const once = command === 'watch' ? ['--once'] : [];
    const { code, stdout, stderr } = await run([command, 'configmaps', '-n', 'shop', '-o', 'name', ...once], {
      env: withSmallHeap(large.env),
    });
    expect([code, stderr, stdout.split('\n').length - 1]).toEqual([0, '', 10_200]);
    expect(largeBytes / MIB / HEAP_MIB).toBeGreaterThan(0.7);
  },
);
