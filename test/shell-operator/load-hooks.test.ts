import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { loadHooks } from '../../src/shell-operator/load-hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'load-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function load(text: string) {
  const file = path.join(folder, 'a.sh');
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  const { signal } = new AbortController();
  const env = { PATH: process.env.PATH ?? '' };
  return await loadHooks([{ name: 'a.sh', file }], { folder, env, clock: systemClock, signal });
}

describe('hooks are asked for their configuration', () => {
  it('in their folder, with --config', async () => {
    const [hook] = await load(
      '#!/bin/sh\n[ "$1" = --config ] && [ "$PWD" != / ] && echo \'{"configVersion":"v1","onStartup":3}\'',
    );
    expect(hook).toMatchObject({ name: 'a.sh', config: { version: 'v1', onStartup: 3 } });
  });

  it('also those in Python', async () => {
    const text =
      '#!/usr/bin/env python3\nimport json, sys\nif sys.argv[1] == "--config":\n    print(json.dumps({"configVersion": "v1", "onStartup": 7}))';
    expect((await load(text))[0]).toMatchObject({ config: { onStartup: 7 } });
  });

  it.each([
    ['fails', '#!/bin/sh\necho no such team >&2; exit 3', 'gives no configuration: it exited with 3', 'no such team'],
    ['is killed', '#!/bin/sh\nkill -9 $$', 'it was ended by SIGKILL', 'run a.sh --config'],
    ['prints nothing', '#!/bin/sh', 'cannot be used: it is empty', 'run a.sh --config'],
    [
      'prints text before it',
      '#!/bin/sh\necho starting; echo \'{"onStartup":1}\'',
      'a hook prints its configuration on stdout',
      'run a.sh',
    ],
    [
      'prints words',
      '#!/bin/sh\necho starting',
      'a hook prints its configuration on stdout, and nothing else',
      'run a.sh',
    ],
    ['has an interpreter that is not there', '#!/usr/bin/none\n', 'first line names was not found', 'run a.sh'],
    ['has line ends of Windows', '#!/bin/sh\r\necho {}\r\n', 'its first line ends as on Windows (CR LF)', 'run a.sh'],
  ])('and refused with the reason and a way out if one %s', async (_, text, message, hint) => {
    await expect(load(text)).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});
