import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { unfinishedFolder } from '../../src/kit/runtime-folder.ts';
import { findServe, servesOf } from '../../src/serve/find.ts';
import { removeStale } from '../../src/serve/place.ts';
import { about, fakeServe, IDENTITY, leaveStale } from '../support/fake-serve.ts';

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'serve-'));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const serves = () => path.join(folder, 'kubectl-informer', 'serve');
const open = (more: Partial<Parameters<typeof fakeServe>[1]> = {}) =>
  fakeServe(env, { answer: () => ({ exitCode: 0 }), ...more });
const byKey = async () => IDENTITY.key;

describe.skipIf(process.platform === 'win32')('the place of a serve', () => {
  it('is a socket of mode 0600 in folders of mode 0700, with the description beside it, until it ends', async () => {
    {
      await using socket = await open();
      expect(socket.path).toBe(path.join(serves(), IDENTITY.key, 'socket'));
      const modes = [
        serves(),
        path.dirname(socket.path),
        socket.path,
        path.join(path.dirname(socket.path), 'about.json'),
      ];
      expect(await Promise.all(modes.map(async (each) => (await stat(each)).mode & 0o777))).toEqual([
        0o700, 0o700, 0o600, 0o600,
      ]);
      expect(servesOf(env)).toEqual([{ folder: path.dirname(socket.path), socket: socket.path, about: about() }]);
    }
    expect(servesOf(env)).toEqual([]);
  });

  it('belongs to exactly one of several that start at once; the others name the one that runs', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => open()));
    const won = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const lost = starts.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect([won.length, lost.length]).toEqual([1, 7]);
    for (const error of lost)
      expect(error).toMatchObject({
        code: 'config',
        message: `a serve (pid ${process.pid}) runs already for ${IDENTITY.server} as "ann"`,
        hint: "'serve status' describes it, 'serve stop' ends it",
      });
    expect((await readdir(serves())).filter((name) => name !== 'lock.db')).toEqual([IDENTITY.key]);
    await won[0]?.[Symbol.asyncDispose]();
  });

  it('belongs to exactly one also when a killed serve left its socket, which all of them find', async () => {
    await leaveStale(serves());
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => open()));
    const won = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect([won.length, starts.length]).toEqual([1, 8]);
    for (const each of starts)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ message: expect.stringContaining('runs already') });
    expect(servesOf(env).map((serve) => serve.about.pid)).toEqual([process.pid]);
    await won[0]?.[Symbol.asyncDispose]();
  });

  it('of one cluster and user is beside those of others', async () => {
    await using _one = await open();
    await using _two = await open({ identity: { ...IDENTITY, key: 'f'.repeat(16) } });
    expect(servesOf(env)).toHaveLength(2);
  });

  it('is not removed as stale while something listens, even if it answers nothing', async () => {
    await using socket = await open({ answer: () => new Promise(() => {}) });
    expect(await removeStale(path.dirname(socket.path), systemClock)).toBe(false);
    expect(servesOf(env)).toHaveLength(1);
    await leaveStale(serves(), 'f'.repeat(16));
    for (
      let i = 0;
      i < 2;
      i++ // the second time it is absent
    )
      expect(await removeStale(path.join(serves(), 'f'.repeat(16)), systemClock)).toBe(true);
    expect(servesOf(env)).toHaveLength(1);
  });

  it('is taken without what programs left that ended before they answered', async () => {
    await mkdir(serves(), { recursive: true });
    for (const each of [path.dirname(serves()), serves()]) await chmod(each, 0o700);
    const folders = [99_999_999, process.pid].map((pid) => {
      const name = path.basename(unfinishedFolder(serves(), 'x'));
      return path.join(serves(), name.replace(`${process.pid}`, `${pid}`));
    });
    for (const each of folders) await mkdir(each);
    await using _ = await open();
    const names = await readdir(serves());
    expect(folders.map((each) => names.includes(path.basename(each)))).toEqual([false, true]);
  });

  it('is not removed by a serve that ends after another took it', async () => {
    const first = await open({ about: { pid: 1 } });
    await rename(path.dirname(first.path), path.join(serves(), 'e'.repeat(16)));
    await using _second = await open();
    await first[Symbol.asyncDispose]();
    expect(servesOf(env).map((serve) => [path.basename(serve.folder), serve.about.pid])).toContainEqual([
      IDENTITY.key,
      process.pid,
    ]);
  });

  it('is refused with the reason if another user could have made or could change its folder', async () => {
    await mkdir(serves(), { recursive: true });
    await chmod(serves(), 0o777);
    await expect(open()).rejects.toMatchObject({
      code: 'config',
      message: `the folder for sockets cannot be used: other users can write to ${serves()} (mode 0777)`,
    });
    expect(() => servesOf(env)).toThrow('(mode 0777)');
    await rm(serves(), { recursive: true });
    await mkdir(path.join(folder, 'elsewhere'), { mode: 0o700 });
    await symlink(path.join(folder, 'elsewhere'), serves());
    await expect(open()).rejects.toThrow(`${serves()} is a link`);
    expect(() => servesOf(env)).toThrow(`${serves()} is a link`);
  });

  it('is refused, with the limit, where its path would be too long', async () => {
    env = { XDG_RUNTIME_DIR: path.join(folder, 'x'.repeat(80)) };
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining('has at most 103 bytes'),
      hint: expect.stringContaining('XDG_RUNTIME_DIR'),
    });
  });
});

describe('a serve is found', () => {
  it('by the record of its connection without a look at the kubeconfig, else by its key', async () => {
    await using _ = await open({ about: { record: 'files and flags' } });
    const unread = async () => expect.unreachable('the kubeconfig is read');
    expect((await findServe(env, () => 'files and flags', unread))?.about.record).toBe('files and flags');
    expect((await findServe(env, () => 'other flags', byKey))?.about.record).toBe('files and flags');
    expect((await findServe(env, () => undefined, byKey))?.about.record).toBe('files and flags');
    expect(
      await findServe(
        env,
        () => 'other flags',
        async () => 'f'.repeat(16),
      ),
    ).toBeUndefined();
  });

  it('without a folder, a look at the kubeconfig or anything created if there is none', async () => {
    expect(
      await findServe(
        env,
        () => 'any',
        async () => expect.unreachable('the kubeconfig is read'),
      ),
    ).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });
});
