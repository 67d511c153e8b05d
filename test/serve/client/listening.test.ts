import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isListening, isNotListening } from '../../../src/serve/client/listening.ts';
import { eventually } from '../../../src/testing/eventually.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'listening-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

async function listenAt(place: string, taken: (socket: Socket) => void = () => {}): Promise<Server> {
  const server = createServer(taken);
  await new Promise<void>((resolve) => server.listen(place, resolve));
  return server;
}

describe.skipIf(process.platform === 'win32')('a process listens on a socket', () => {
  it('that takes connections, and the one that asked is closed', async () => {
    let closed = 0;
    const server = await listenAt(path.join(folder, 's'), (socket) => socket.resume().on('close', () => closed++));
    expect(await isListening(path.join(folder, 's'))).toBe(true);
    await eventually(() => expect(closed).toBe(1));
    server.close();
  });

  it('but not on one that is absent, or is a file', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    for (const name of ['absent', 'file']) expect(await isListening(path.join(folder, name))).toBe(false);
  });

  it('unless an error says that none does: any other one says nothing', () => {
    const codes = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'EACCES', undefined];
    const errors = codes.map((code) => Object.assign(new Error('no'), code === undefined ? {} : { code }));
    expect(errors.map(isNotListening)).toEqual([true, true, true, false, false]);
  });
});
