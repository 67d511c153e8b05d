import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ABOUT } from '../../src/serve/about.ts';
import { findServe, servesOf, serveWithKey } from '../../src/serve/find.ts';

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'find-'));
  env = { XDG_RUNTIME_DIR: folder };
  return () => rmSync(folder, { recursive: true, force: true });
});

const KEYS = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];

/** Folders of serves, as they leave them, each with its description. */
function place(serves: Readonly<Record<string, object | undefined>>): void {
  for (const [name, about] of Object.entries(serves)) {
    const own = path.join(folder, 'kubectl-informer', 'serve', name);
    mkdirSync(own, { recursive: true });
    for (let each = own; each !== folder; each = path.dirname(each)) chmodSync(each, 0o700);
    if (about) writeFileSync(path.join(own, ABOUT), JSON.stringify({ protocol: 1, pid: 7, ...about }));
  }
}

describe.skipIf(process.platform === 'win32')('the serves of a user', () => {
  it('are in the order of their keys, without folders that are none of a serve, or have no description', () => {
    place({
      [KEYS[1]]: { pid: 2 },
      [KEYS[0]]: { pid: 1 },
      [KEYS[2]]: undefined,
      unfinished: { pid: 4 },
      aaa: { pid: 5 },
    });
    const own = (key: string) => path.join(folder, 'kubectl-informer', 'serve', key);
    expect(servesOf(env)).toEqual(
      [KEYS[0], KEYS[1]].map((key, i) => ({
        folder: own(key),
        socket: path.join(own(key), 'socket'),
        about: { protocol: 1, pid: i + 1 },
      })),
    );
  });

  it('are found by their key', () => {
    place({ [KEYS[0]]: { pid: 1 }, [KEYS[1]]: { pid: 2 } });
    expect(serveWithKey(env, KEYS[1])?.about.pid).toBe(2);
    expect(serveWithKey(env, KEYS[2])).toBeUndefined();
  });

  it('are found by the record of a connection, else by the key, which is computed only then', async () => {
    place({ [KEYS[0]]: { pid: 1, record: 'r1' }, [KEYS[1]]: { pid: 2, record: 'r2,"account":"x"', anyAccount: true } });
    const find = async (record: string | undefined, key?: string) => {
      let isAsked = false;
      const found = await findServe(
        env,
        () => record,
        async () => {
          isAsked = true;
          return key;
        },
      );
      return [found?.about.pid, isAsked];
    };
    expect(await find('r1', KEYS[1])).toEqual([1, false]);
    expect(await find('r2,"account":"y"')).toEqual([2, false]);
    expect(await find('other', KEYS[1])).toEqual([2, true]);
    expect(await find(undefined, KEYS[2])).toEqual([undefined, true]);
    expect(await find('other')).toEqual([undefined, true]);
  });

  it('are found without the account where their login does not depend on it', async () => {
    place({ [KEYS[0]]: { pid: 1, record: 'r1,"account":"x"', anyAccount: true }, [KEYS[1]]: { pid: 2, record: 'r2' } });
    const asked: boolean[] = [];
    const find = (begin: string) =>
      findServe(
        env,
        ({ account }) => {
          asked.push(account);
          return `${begin},"account":""`;
        },
        async () => undefined,
      );
    expect((await find('r1'))?.about.pid).toBe(1);
    expect(asked).toEqual([false]);
    expect(await find('r2')).toBeUndefined();
    expect(asked).toEqual([false, false, true]);
  });

  it('are none without a folder, and then neither a record nor a key is computed', async () => {
    const unread = () => expect.unreachable('the record or the key is computed');
    expect([servesOf(env), await findServe(env, unread, unread)]).toEqual([[], undefined]);
  });
});
