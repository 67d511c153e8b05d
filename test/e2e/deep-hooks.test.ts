import { chmod, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import {
  type ConfigMapRequest,
  type ConfigMapServer,
  configMapServer,
  configMapText,
  eventText,
  nested,
} from '../support/config-map-server.ts';

let server: ConfigMapServer;
let folder: string;
let env: { KUBECONFIG: string };

/** Whether each object changes once after the list. */
let changes = true;

/** An API server with an object of 3,000 levels, one of 9,000 (a real one takes 10,000) and a flat one. */
function answer({ method, pathname, isWatch, send }: ConfigMapRequest, response: ServerResponse): void {
  const one = /\/configmaps\/(\w+)$/.exec(pathname)?.[1];
  if (one !== undefined)
    return void send(configMapText(one, method === 'PATCH' ? 20 : 10, nested(one === 'flat' ? 1 : 3_000, '"now"')));
  const items = (end: string) => [
    configMapText('deep', 1, nested(3_000, end)),
    configMapText('deeper', 2, nested(9_000, end)),
    configMapText('flat', 3, nested(1, end)),
  ];
  if (!isWatch) {
    return void send(
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[${items('"was"').join(',')}]}`,
    );
  }
  response.setHeader('content-type', 'application/json');
  response.flushHeaders();
  for (const [i, name] of (changes ? ['deep', 'deeper', 'flat'] : []).entries()) {
    response.write(
      eventText(
        'MODIFIED',
        configMapText(name, 10 + i, nested(name === 'flat' ? 1 : name === 'deep' ? 3_000 : 9_000, '"now"')),
      ),
    );
  }
}

beforeAll(async () => {
  server = await configMapServer(answer);
  ({ folder, env } = server);
});
afterAll(() => server[Symbol.asyncDispose]());

const REASON = 'it is nested deeper than 1,000 levels';

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

/** With objects that stay as they are, so that a key that was given up stays so. */
async function reconcileUnchanging(...args: Parameters<typeof reconcile>) {
  changes = false;
  try {
    return await reconcile(...args);
  } finally {
    changes = true;
  }
}

async function reconcile(flags: readonly string[], isDone: (cli: { stdout: string; stderr: string }) => boolean) {
  await using cli = new Cli(['reconcile', 'configmaps', '-n', 'shop', ...flags], { env });
  await cli.until(isDone, 'what is waited for');
  cli.kill('SIGTERM');
  return await cli.ended();
}

describe('an object nested thousands of levels deep, in reconcile', () => {
  it('a module has it whole, with the state before and the paths that changed', async () => {
    const file = await hook(
      'module.mjs',
      `export default async function reconcile({ key, object, oldObject, changed, log }) {
        const end = (value) => { let levels = 0; for (; typeof value === 'object'; value = value.a) levels++; return levels + ' ' + value; };
        if (object) log.info('saw', { is: key + ' ' + end(object.spec) + ' ' + (oldObject ? end(oldObject.spec) : '-') + ' ' + changed.length });
      }\n`,
    );
    const { code, stderr } = await reconcile(['--hook', file], ({ stderr }) =>
      ['deep 3000 now', 'deeper 9000 now', 'flat 1 now'].every((text) => stderr.includes(text)),
    );
    expect(stderr).not.toMatch(/call stack|ERROR|given up/);
    expect(code).toBe(0);
  });

  it('its patch is shown, and its dry run is made and reported, as those of others', async () => {
    const file = await hook(
      'patching.mjs',
      `export default ({ object }) => object && { actions: [{ patch: { metadata: { labels: { seen: 'yes' } } } }] };\n`,
    );
    for (const flags of [[], ['--dry-run']]) {
      const { code, stdout, stderr } = await reconcile(['--hook', file, ...flags], ({ stdout }) =>
        ['shop/deep:', 'shop/deeper:', 'shop/flat:'].every((key) => stdout.includes(key)),
      );
      expect(stderr).not.toMatch(/call stack|ERROR|given up/);
      expect(code).toBe(0);
      for (const name of ['deep', 'deeper', 'flat']) {
        const shown = flags.length > 0 ? 'dry run: v1/configmaps' : 'would patch v1/configmaps';
        expect(stdout).toMatch(new RegExp(`^shop/${name}: ${shown} shop/${name} `, 'm'));
      }
    }
  });

  it('its patch that holds all of it is refused before anything is sent, with the reason, and its key is given up; others go on', async () => {
    const file = await hook(
      'echoing.mjs',
      `export default ({ object }) => object && { actions: [{ patch: { metadata: { labels: { first: 'yes' } } } }, { patch: { spec: object.spec } }] };\n`,
    );
    const { code, stdout, stderr } = await reconcileUnchanging(
      ['--hook', file],
      (cli) =>
        cli.stdout.includes('shop/flat:') &&
        ['deep', 'deeper'].every((name) => new RegExp(`shop/${name}: given up`).test(cli.stderr)),
    );
    expect(stderr + stdout).not.toContain('call stack');
    const parked = stderr.slice(stderr.indexOf('given up until something changes:\n'));
    for (const name of ['deep', 'deeper']) {
      expect(parked).toMatch(
        new RegExp(`shop/${name} .*the body of patch v1/configmaps shop/${name} cannot be sent: ${REASON}`),
      );
    }
    expect(stdout).not.toContain('shop/deep');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('shop/flat: would patch v1/configmaps shop/flat {"spec":{"a":"'),
    ]);
  });

  it.each([
    [
      'an executable',
      async () => ['--hook', await hook('hook.sh', '#!/bin/sh\ncat > /dev/null\necho "ran for $INFORMER_NAME" >&2\n')],
    ],
    ['a command line', async () => ['--exec', `sh -c 'cat > /dev/null; echo "ran for $1" >&2' sh {{.metadata.name}}`]],
    ['a shell line', async () => ['--shell', '--exec', 'cat > /dev/null; echo ran for {{.metadata.name}} >&2']],
  ])(
    '%s either gets it or has its key parked with the reason, on stderr and in the list at the end; others run',
    async (_, flagsOf) => {
      const { code, stderr } = await reconcileUnchanging(await flagsOf(), (cli) => {
        const all = cli.stderr;
        return (
          all.includes('ran for flat') &&
          ['deep', 'deeper'].every((name) => new RegExp(`ran for ${name}\\b|shop/${name}: given up`).test(all))
        );
      });
      expect(stderr).not.toContain('call stack');
      const parked = stderr.slice(stderr.indexOf('given up until something changes:\n'));
      for (const name of ['deep', 'deeper']) {
        if (new RegExp(`ran for ${name}\\b`).test(stderr)) continue;
        expect(parked).toMatch(new RegExp(`shop/${name} .*cannot be passed to the hook: ${REASON}`));
      }
      expect(code).toBe(0);
    },
  );

  it('a placeholder of the deep part itself is either filled in, or has its key parked with the reason; the others run', async () => {
    const { code, stdout, stderr } = await reconcileUnchanging(['--exec', 'echo it has {{..spec}}'], (cli) => {
      const isJudged = (name: string) =>
        cli.stdout.includes(`shop/${name} | it has `) || cli.stderr.includes(`shop/${name}: given up`);
      return ['deep', 'deeper', 'flat'].every(isJudged);
    });
    expect(stderr).not.toContain('call stack');
    for (const name of ['deep', 'deeper']) {
      if (stdout.includes(`shop/${name} | it has {"a":{"a":{"a":`)) continue;
      expect(stderr).toMatch(new RegExp(`^shop/${name}: given up .*cannot be passed to the hook: ${REASON}$`, 'm'));
    }
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^shop\/flat \| it has \{"a":"was"\}$/m)]);
  });
});

describe('query over objects nested thousands of levels deep', () => {
  it.each([
    [
      'jq=.items[] | [.metadata.name, .error, .spec.a]',
      new RegExp(
        `^\\["deep","this object cannot be printed: ${REASON}",null\\]\\n\\["deeper",.*\\n\\["flat",null,"was"\\]\\n$`,
      ),
    ],
    ['jq=[.. | numbers]', /^\[\]\n$/],
    ['jsonpath={.spec}', /^\{"a":"was"\}\n?$/],
    ['custom-columns=N:.metadata.name,S:.spec.a.a.a', /^N +S *\nflat +<none> *\n$/],
    ['wide', /deep[\s\S]*deeper[\s\S]*flat/],
    ['', /deep[\s\S]*deeper[\s\S]*flat/],
  ])(
    '-o %s names the deep ones as unprintable, on stderr or in their rows, and shows the rest',
    async (output, expected) => {
      const { code, stdout, stderr } = await run(
        ['query', 'configmaps', '-n', 'shop', ...(output === '' ? [] : ['-o', output])],
        { env },
      );
      expect(stderr + stdout).not.toContain('call stack');
      expect([code, stdout]).toEqual([0, expect.stringMatching(expected)]);
      if (!/deep/.test(stdout))
        for (const name of ['deep', 'deeper'])
          expect(stderr).toContain(`v1/configmaps shop/${name} cannot be printed: ${REASON}`);
    },
  );
});
