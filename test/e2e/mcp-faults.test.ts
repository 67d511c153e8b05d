import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ListeningServe, type ProgramAgent, stdioAgent } from '../support/agent-programs.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  fixture = await startFixture();
  env = { ...fixture.env, XDG_RUNTIME_DIR: mkdtempSync(path.join(tmpdir(), 'mcp-faults-')) };
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

const SHOP = 'kube:///pods?namespace=shop';
const IN_SHOP = { type: 'pods', namespace: 'shop' };
const SOON = { timeout: 30_000 };

/** What the agent is notified of, and what it then reads. */
async function following({ agent }: ProgramAgent) {
  let told = 0;
  agent.client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void told++);
  await agent.client.subscribeResource({ uri: SHOP });
  return {
    told: () => told,
    async read() {
      const { contents } = await agent.client.readResource({ uri: SHOP });
      return (contents[0] as { text: string }).text;
    },
  };
}

/** Answers since the outage that neither have the pod nor say that they are not current. */
const silent = (texts: readonly string[], name: string) =>
  texts.filter((text) => !text.includes(name) && !/^(NOT CURRENT|GAP): /m.test(text));

describe.skipIf(process.platform === 'win32')('a subscription', () => {
  it('of a process that reads from a serve goes on at the cluster when the serve is killed', async () => {
    await using serve = await ListeningServe.start(['pods', '-A'], env);
    await using program = await stdioAgent(['mcp', '-A'], env);
    const { told, read } = await following(program);
    expect(await read()).toMatch(/^2 found\n/);
    process.kill(serve.pid, 'SIGKILL');
    fixture.sandbox.put([pod('late')] as never);
    await expect.poll(told, SOON).toBeGreaterThan(0); // of the broken connection, or of the pod
    await expect.poll(read, SOON).toMatch(/^3 found\n(.|\n)*\| late(.|\n)*\ncurrent as of/);
    const before = told();
    fixture.sandbox.put([pod('later')] as never);
    await expect.poll(told, SOON).toBeGreaterThan(before);
    expect(await program.agent.told('explain', { type: 'pods' })).toMatch(/\d relists, \d resumed watches/);
  }, 90_000);

  it('over HTTP ends with its serve, which the client reports; the next serve answers a new session', async () => {
    const serve = await ListeningServe.start(['pods', '-A'], env);
    const program = await serve.agent();
    const { read } = await following(program);
    expect(await read()).toMatch(/^2 found\n/);
    const errors: string[] = [];
    program.agent.client.onerror = (error) => void errors.push(error.message);
    process.kill(serve.pid, 'SIGKILL');
    await expect.poll(() => errors, SOON).toContainEqual(expect.stringMatching(/SSE stream disconnected|terminated/));
    await expect(read()).rejects.toThrow();
    await serve[Symbol.asyncDispose]();
    await using next = await ListeningServe.start(['pods', '-A'], env, serve.url.host);
    await using again = await next.agent();
    expect((await (await following(again)).read()).split('\n')[0]).toBe('2 found');
  }, 90_000);

  it.each([
    ['over stdio', async () => ({ program: await stdioAgent(['mcp', '-A'], env), end: async () => {} })],
    ['over HTTP', async () => { const serve = await ListeningServe.start(['pods', '-A'], env); return { program: await serve.agent(), end: () => serve[Symbol.asyncDispose]() }; }], // biome-ignore format: one row
  ])(
    '%s is notified of an outage and of the list after it, and no answer between is silent about it',
    async (_, open) => {
      const { program, end } = await open();
      const { told, read } = await following(program);
      expect(await read()).toMatch(/^2 found\n/);
      const restarting = fixture.sandbox.restart({ keepHistory: false, downMs: 2500 });
      await expect.poll(told, SOON).toBeGreaterThan(0);
      const texts = [await read()];
      expect(texts[0]).toMatch(/\nNOT CURRENT: pods has had no connection since \d{4}-\S+Z /);
      fixture.sandbox.put([pod('unseen')] as never);
      const before = told();
      await restarting;
      await expect
        .poll(async () => {
          texts.push(await read());
          return texts.at(-1);
        }, SOON)
        .toMatch(/\| unseen(.|\n)*\ncurrent as of/);
      expect(silent(texts, 'unseen')).toEqual([]);
      await expect.poll(told, SOON).toBeGreaterThan(before);
      expect(await program.agent.told('explain', IN_SHOP_TYPE)).toMatch(/ 1 relists.*\n(.*\n)*\| {3}gap at .*closed by a relist/); // biome-ignore format: one line
      const after = told();
      fixture.sandbox.put([pod('later')] as never);
      await expect.poll(told, SOON).toBeGreaterThan(after);
      await program[Symbol.asyncDispose]();
      await end();
    },
    90_000,
  );

  it('does not end by a lost history, and reports the list after it', async () => {
    fixture.sandbox.faults.add({ fault: { kind: 'gone', after: 1 }, match: { watch: true, path: '/pods' } });
    await using program = await stdioAgent(['mcp', '-A'], env);
    const { told, read } = await following(program);
    expect(await read()).toMatch(/^2 found\n/);
    fixture.sandbox.put([pod('seen'), pod('unseen')] as never);
    await expect.poll(told, SOON).toBeGreaterThan(0);
    await expect.poll(read, SOON).toMatch(/\| unseen(.|\n)*\ncurrent as of/);
    expect(await program.agent.told('explain', IN_SHOP_TYPE)).toMatch(/ 1 relists/);
  }, 90_000);
});

const IN_SHOP_TYPE = { type: IN_SHOP.type };
