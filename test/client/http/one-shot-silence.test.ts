import { describe, expect, it } from 'vitest';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { OneShotSilence } from '../../../src/client/http/one-shot-silence.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { socketScript } from '../../support/socket-script.ts';

function listening(limitMs = 30_000) {
  const clock = new FakeClock();
  let silent = 0;
  const silence = new OneShotSilence({ clock, limitMs, onSilent: () => silent++ });
  return { clock, silence, silent: () => silent };
}

describe('the silence of a server', () => {
  it('begins with a request, and is reported once', () => {
    const { clock, silence, silent } = listening();
    clock.tick(60_000);
    silence.started();
    clock.tick(29_999);
    expect(silent()).toBe(0);
    clock.tick(1);
    expect(silent()).toBe(1);
    clock.tick(60_000);
    expect(silent()).toBe(1);
  });

  it('begins again with every byte', () => {
    const { clock, silence, silent } = listening();
    silence.started();
    for (let i = 0; i < 10; i++) {
      clock.tick(29_000);
      silence.received();
    }
    expect(silent()).toBe(0);
    clock.tick(30_000);
    expect(silent()).toBe(1);
  });

  it('ends with a complete answer: a person may take their time to log in', () => {
    const { clock, silence, silent } = listening();
    silence.started();
    silence.received();
    silence.ended();
    clock.tick(600_000);
    expect(silent()).toBe(0);
    silence.started();
    clock.tick(30_000);
    expect(silent()).toBe(1);
  });

  it('goes on over requests that fail without a byte', () => {
    const { clock, silence, silent } = listening();
    for (let i = 0; i < 6; i++) {
      silence.started();
      clock.tick(4_000);
      silence.ended();
      clock.tick(1_000);
    }
    expect(silent()).toBe(1);
  });

  it('is not that of a server which answers one of several requests', () => {
    const { clock, silence, silent } = listening();
    silence.started();
    silence.started();
    clock.tick(20_000);
    silence.received();
    silence.ended();
    clock.tick(20_000);
    expect(silent()).toBe(0);
    clock.tick(10_000);
    expect(silent()).toBe(1);
  });

  it('is not that of a reader of the body that takes its time, as one whose own reader is slow', () => {
    const { clock, silence, silent } = listening();
    silence.started();
    silence.received();
    silence.rests();
    clock.tick(600_000);
    expect(silent()).toBe(0);
    silence.waits();
    clock.tick(29_999);
    expect(silent()).toBe(0);
    clock.tick(1);
    expect(silent()).toBe(1);
  });

  it('is that of a request without a byte, while the reader of another one takes its time', () => {
    const { clock, silence, silent } = listening();
    silence.started();
    silence.started();
    silence.received();
    silence.rests();
    clock.tick(30_000);
    expect(silent()).toBe(1);
  });

  it('leaves no timer behind', () => {
    const { clock, silence } = listening();
    silence.started();
    silence[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});

it.each(['', 'headers', 'body'])('is observed over a real connection that stalls after its %s', async (stall) => {
  await using server = await socketScript((_, response) => {
    if (stall === '') return;
    response.writeHead(200);
    if (stall === 'headers') response.flushHeaders();
    else response.write('{');
  });
  const seen: string[] = [];
  const observer = {
    started: () => seen.push('started'),
    received: () => seen.push('received'),
    rests: () => seen.push('rests'),
    waits: () => seen.push('waits'),
    ended: () => seen.push('ended'),
  };
  const transport = createTransport(createConfig({ server: server.url }), { observer });
  const controller = new AbortController();
  const asked = transport.request({ method: 'GET', path: '/x', signal: controller.signal });
  if (stall === '') await expect.poll(() => server.seen.length).toBe(1);
  else {
    const { body } = await asked;
    const pieces = body[Symbol.asyncIterator]();
    if (stall === 'body') await pieces.next();
  }
  const { [stall]: expected } = {
    '': ['started'],
    headers: ['started', 'received'],
    body: ['started', 'received', 'received', 'rests'],
  } as Record<string, string[]>;
  expect(seen).toEqual(expected);
  controller.abort();
  await asked.catch(() => {});
  expect(seen.at(-1)).toBe('ended');
  expect(seen.filter((each) => each === 'ended')).toHaveLength(1);
  await transport.close();
});
