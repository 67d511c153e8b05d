import { getEventListeners } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { describeError } from '../../../src/cli/terminal/error-text.ts';
import { type ClusterConfig, Credentials, createConfig } from '../../../src/client/config/cluster-config.ts';
import { createTransport, type TransportOptions } from '../../../src/client/http/http-transport.ts';
import { readText, statusErrorOf } from '../../../src/client/http/response.ts';
import type { Clock } from '../../../src/kit/clock.ts';
import { type InformerError, isInformerError } from '../../../src/kit/error.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { isConnectionError, isConnectionRefused } from '../../../src/model/connection-error.ts';
import { failure } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { authority } from '../../support/authority.ts';
import { rawSocketScript, socketScript } from '../../support/socket-script.ts';

const get = { method: 'GET', path: '/x' };

function open(server: string | ClusterConfig, options: TransportOptions = {}) {
  const transport = createTransport(typeof server === 'string' ? createConfig({ server }) : server, options);
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}

async function thrownBy(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
}

describe('the transport', () => {
  it('sends a request below the base path, and gives the response', async () => {
    await using server = await socketScript((request, response) => {
      response.setHeader('x-two', ['a', 'b']);
      request.pipe(response.writeHead(201));
    });
    await using transport = open(createConfig({ server: `${server.url}/k8s/clusters/c-1/`, token: 'secret' }), {
      userAgent: 'test/1',
    });
    const answer = await transport.request({
      method: 'POST',
      path: '/api/v1/pods?a=b',
      headers: { 'content-type': 'text/plain' },
      body: 'héllo',
    });
    expect(answer).toMatchObject({ status: 201, headers: { 'x-two': 'a, b' } });
    expect(await readText(answer.body)).toBe('héllo');
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/k8s/clusters/c-1/api/v1/pods?a=b' });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'user-agent': 'test/1',
      'content-type': 'text/plain',
      accept: 'application/json',
    });
  });

  it('keeps its connections for the requests that follow', async () => {
    await using server = await socketScript((_, response) => response.end('ok'));
    await using transport = open(server.url);
    for (let i = 0; i < 20; i++) await readText((await transport.request(get)).body);
    expect(server.connections).toBeLessThanOrEqual(2); // undici frees one a moment after its body has ended
  });

  it('requests no gzip over plain HTTP from this machine, and inflates a compressed body all the same', async () => {
    await using server = await socketScript((request, response) => {
      if (request.headers['x-force'] === undefined) return response.end(String(request.headers['accept-encoding']));
      response.setHeader('content-encoding', 'gzip');
      return response.end(gzipSync('x'.repeat(200_000)));
    });
    await using transport = open(server.url);
    expect(await readText((await transport.request(get)).body)).toBe('undefined');
    const inflated = await transport.request({ ...get, headers: { 'x-force': '1', 'accept-encoding': 'gzip' } });
    expect((await readText(inflated.body)).length).toBe(200_000);
  });

  it('requests gzip over TLS, also from this machine', async () => {
    const pki = await authority();
    await using server = await socketScript(
      (request, response) => response.end(String(request.headers['accept-encoding'])),
      pki.server,
    );
    const config = createConfig({ server: server.url, tls: { ca: pki.ca, servername: 'api.test' } });
    await using transport = open(config);
    await using plain = open({ ...config, disableCompression: true });
    expect(await readText((await transport.request(get)).body)).toBe('gzip');
    expect(await readText((await transport.request({ ...get, stream: true })).body)).toBe('undefined');
    expect(await readText((await plain.request(get)).body)).toBe('undefined');
  });

  it('takes certificates and keys as bytes that are no Buffers', async () => {
    const pki = await authority();
    const requires = { ...pki.server, ca: pki.ca, requestCert: true };
    await using server = await socketScript((_, response) => response.end('ok'), requires);
    const bytes = (text: string | Buffer) => new Uint8Array(Buffer.from(text));
    const { cert, key } = await pki.client('anna');
    const tls = { ca: bytes(pki.ca), cert: bytes(cert), key: bytes(key), servername: 'api.test' };
    await using transport = open(createConfig({ server: server.url, tls }));
    expect(await readText((await transport.request(get)).body)).toBe('ok');
  });

  it('rejects with a broken stream when compressed bytes are cut', async () => {
    await using server = await socketScript((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('x'.repeat(200_000)).subarray(0, 50));
    });
    await using transport = open(server.url);
    const error = await thrownBy(readText((await transport.request(get)).body));
    expect(isInformerError(error, 'transport')).toBe(true);
  });

  it('never logs credentials', async () => {
    await using server = await socketScript((_, response) => response.end('ok'));
    const lines: unknown[] = [];
    const config = createConfig({ server: server.url, token: 'secret' });
    await using transport = open(config, { logger: createLogger((...line) => lines.push(line)) });
    await readText((await transport.request(get)).body);
    expect(lines).toHaveLength(1);
    const { inspect } = await import('node:util');
    expect(
      inspect([lines, config, await config.credentials(), transport], { depth: 9, showHidden: true }),
    ).not.toContain('secret');
    expect(JSON.stringify([lines, config, await config.credentials()])).not.toContain('secret');
  });
});

describe('a response with Retry-After', () => {
  it.each([
    [429, '1', 1000],
    [503, '2', 2000],
    [500, '1', 1000],
  ])('%i with Retry-After: %s is repeated after %i ms [RM-03]', async (status, after, ms) => {
    await using server = await socketScript((_, response, n) =>
      n === 1 ? response.writeHead(status, { 'retry-after': after }).end('no') : response.end('yes'),
    );
    const clock = new FakeClock();
    await using transport = open(server.url, { clock });
    const answer = transport.request(get);
    await expect.poll(() => clock.nextIn).toBe(ms);
    expect(server.seen).toHaveLength(1);
    await clock.advance(ms);
    expect(await readText((await answer).body)).toBe('yes');
    expect(clock.pending).toBe(0);
  });

  it('is followed by the same request with the same body, for a write too [RM-03]', async () => {
    const bodies: string[] = [];
    await using server = await socketScript((request, response, n) => {
      void readText(request).then((body) => {
        bodies.push(body);
        response.writeHead(n === 1 ? 429 : 201, { 'retry-after': '0' }).end();
      });
    });
    await using transport = open(server.url);
    expect((await transport.request({ method: 'POST', path: '/x', body: '{"a":1}' })).status).toBe(201);
    expect(bodies).toEqual(['{"a":1}', '{"a":1}']);
  });

  it('is given to the caller after ten repetitions [RM-03]', async () => {
    await using server = await socketScript((_, response) => response.writeHead(429, { 'retry-after': '0' }).end());
    await using transport = open(server.url);
    expect((await transport.request(get)).status).toBe(429);
    expect(server.seen).toHaveLength(11);
  });

  it.each([
    [429, {}],
    [429, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    [404, { 'retry-after': '1' }],
  ])('does not wait on %i with %j [RM-03]', async (status, headers) => {
    await using server = await socketScript((_, response) => response.writeHead(status, headers).end());
    await using transport = open(server.url);
    expect((await transport.request(get)).status).toBe(status);
    expect(server.seen).toHaveLength(1);
  });

  it('is given to the caller at once when the server has not reached the version asked for', async () => {
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const status = failure(504, 'Timeout', 'Too large resource version: 9, current: 5', {
      causes,
      retryAfterSeconds: 1,
    });
    await using server = await socketScript((_, response) =>
      response.writeHead(504, { 'retry-after': '1', 'content-type': 'application/json' }).end(JSON.stringify(status)),
    );
    await using transport = open(server.url);
    const answer = await transport.request(get);
    expect([answer.status, JSON.parse(await readText(answer.body)), server.seen.length]).toEqual([504, status, 1]);
  });

  it('stops waiting when aborted', async () => {
    await using server = await socketScript((_, response) => response.writeHead(429, { 'retry-after': '60' }).end());
    const clock = new FakeClock();
    await using transport = open(server.url, { clock });
    const controller = new AbortController();
    const answer = transport.request({ ...get, signal: controller.signal });
    await expect.poll(() => clock.pending).toBe(1);
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('a 401', () => {
  const changing = (server: string, tokens: string[]): ClusterConfig & { asked: (Credentials | undefined)[] } => {
    const asked: (Credentials | undefined)[] = [];
    let current = new Credentials({ authorization: `Bearer ${tokens.shift()}` }, {});
    return {
      ...createConfig({ server }),
      asked,
      async credentials({ rejected } = {}) {
        asked.push(rejected);
        if (rejected) current = new Credentials({ authorization: `Bearer ${tokens.shift()}` }, {});
        return current;
      },
    };
  };

  it('has the credentials read again once, and the request repeated with them', async () => {
    await using server = await socketScript((request, response) =>
      response.writeHead(request.headers.authorization === 'Bearer new' ? 200 : 401).end(),
    );
    const config = changing(server.url, ['old', 'new']);
    await using transport = open(config);
    expect((await transport.request({ ...get, stream: true })).status).toBe(200);
    expect(config.asked.map((c) => c?.headers.authorization)).toEqual([undefined, 'Bearer old']);
  });

  it('is given to the caller if the credentials are the same, or are refused too', async () => {
    await using server = await socketScript((_, response) => response.writeHead(401).end('no'));
    for (const [tokens, requests] of [
      [['old', 'old'], 1],
      [['old', 'new'], 2],
    ] as const) {
      server.seen.length = 0;
      await using transport = open(changing(server.url, [...tokens]));
      const answer = await transport.request(get);
      expect([answer.status, await readText(answer.body), server.seen.length]).toEqual([401, 'no', requests]);
    }
  });
});

describe('server warnings', () => {
  it('are reported once each', async () => {
    await using server = await socketScript((_, response) => {
      response.setHeader('warning', ['299 - "old api"', '299 - "and old field"']);
      response.end();
    });
    const told: string[] = [];
    await using transport = open(server.url, { onWarning: (text) => told.push(text) });
    await transport.request(get);
    await transport.request(get);
    expect(told).toEqual(['old api', 'and old field']);
  });
});

describe('a connection that fails', () => {
  it('is refused: the error has kubectl’s text and a hint', async () => {
    const server = await socketScript(() => {});
    await server[Symbol.asyncDispose]();
    await using transport = open(server.url);
    const error = await thrownBy(transport.request(get));
    expect(error.message).toBe(
      `The connection to the server ${new URL(server.url).host} was refused - did you specify the right host or port?`,
    );
    expect(error).toMatchObject({
      code: 'transport',
      hint: expect.stringContaining('`kubectl-informer/sandbox` works without a cluster'),
    });
    expect(isConnectionRefused(error)).toBe(true);
  });

  it('breaks in the middle of a body: the error is one of the connection', async () => {
    await using server = await socketScript((_, response) => {
      response.write('part');
      setImmediate(() => response.destroy());
    });
    await using transport = open(server.url);
    const { body } = await transport.request(get);
    const error = await thrownBy(readText(body));
    expect(isInformerError(error, 'transport')).toBe(true);
    expect(isConnectionError(error)).toBe(true);
  });

  it('was pooled and is closed: a read is sent once more, a write is not', async () => {
    const heard: string[] = [];
    await using server = await rawSocketScript((socket) => {
      socket.on('data', (data) => {
        const [method = ''] = data.toString().split(' ', 1);
        if (heard.push(method) === 2) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else socket.resetAndDestroy();
      });
    });
    await using transport = open(server.url);
    expect(await readText((await transport.request(get)).body)).toBe('ok');
    await expect(transport.request({ ...get, method: 'POST', body: '{}' })).rejects.toMatchObject({
      code: 'transport',
    });
    expect(heard).toEqual(['GET', 'GET', 'POST']);
  });

  it('is reset again when a read is sent once more: the caller gets the error, and no third request is sent', async () => {
    let requests = 0;
    await using server = await rawSocketScript((socket) => {
      socket.on('data', () => {
        requests++;
        socket.resetAndDestroy();
      });
    });
    await using transport = open(server.url);
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'transport' });
    expect(requests).toBe(2);
  });

  it.each([
    ['pooled, for a request to be sent once', { once: true }, 1],
    ['opened for the request alone', { fresh: true }, 2],
  ])('was %s: it is not sent again', async (_, how, connections) => {
    let [requests, opened] = [0, 0];
    await using server = await rawSocketScript((socket) => {
      opened++;
      socket.on('data', () => {
        if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else socket.resetAndDestroy();
      });
    });
    await using transport = open(server.url);
    await readText((await transport.request(get)).body);
    await expect(transport.request({ ...get, ...how })).rejects.toMatchObject({ code: 'transport' });
    expect([requests, opened]).toEqual([2, connections]);
  });

  it('takes too long: the limit covers the body, but of a stream only the headers', async () => {
    await using server = await socketScript((_, response) => response.write('begun'));
    const clock = new FakeClock();
    await using transport = open(server.url, { clock, requestTimeoutMs: 5000 });
    const { body } = await transport.request(get);
    const text = readText(body);
    text.catch(() => {});
    await clock.advance(5000);
    const error = await thrownBy(text);
    expect(error.message).toBe('GET /x: no complete answer within 5s');
    expect(isConnectionError(error)).toBe(true);
    const controller = new AbortController();
    await transport.request({ ...get, stream: true, signal: controller.signal });
    expect(clock.pending).toBe(0);
    controller.abort();
  });
});

describe('an answer that stalls', () => {
  it('rejects after a minute without a byte, with an error of the connection, which can be retried', async () => {
    await using server = await socketScript((_, response) => response.write('begun'));
    const clock = new FakeClock();
    await using transport = open(server.url, { clock });
    const { body } = await transport.request({ ...get, path: '/api/v1/pods?limit=500' });
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    const next = thrownBy(chunks.next());
    await clock.advance(59_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    const error = await next;
    expect(error.message).toBe('GET /api/v1/pods: no byte for 60s');
    expect(error).toMatchObject({ code: 'transport', hint: expect.stringContaining('stopped in the middle') });
    expect(isConnectionError(error)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('does not reject while bytes trickle, nor while the reader is busy, for any time', async () => {
    await using server = await socketScript((_, response) => {
      response.write('1');
      server.server.on('more', (text) => response.write(text)).once('end', () => response.end());
    });
    const clock = new FakeClock();
    await using transport = open(server.url, { clock, bodyIdleTimeoutMs: 1000 });
    const { body } = await transport.request(get);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    for (const [text, busyMs] of [
      ['2', 10_000],
      ['3', 0],
      ['4', 0],
      ['5', 10_000],
    ] as const) {
      await clock.advance(busyMs);
      const next = chunks.next();
      await clock.advance(999); // waiting
      server.server.emit('more', text);
      expect(String((await next).value)).toBe(text);
    }
    server.server.emit('end');
    expect((await chunks.next()).done).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('of a watch has no limit in the transport', async () => {
    await using server = await socketScript((_, response) => response.write('begun'));
    const clock = new FakeClock();
    await using transport = open(server.url, { clock });
    const controller = new AbortController();
    const { body } = await transport.request({ ...get, stream: true, signal: controller.signal });
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    const next = chunks.next();
    expect(clock.pending).toBe(0);
    controller.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  it.each([
    ['an answer', false, 75],
    ['a watch', true, 10],
  ])('before the headers of %s rejects (stream: %s) after %s s', async (_, stream, seconds) => {
    await using server = await socketScript(() => {});
    const clock = new FakeClock();
    await using transport = open(server.url, { clock });
    const answer = thrownBy(transport.request({ ...get, stream }));
    await expect.poll(() => server.seen.length).toBe(1);
    await clock.advance(seconds * 1000);
    const error = await answer;
    expect(error.message).toBe(`GET /x: no answer within ${seconds}s`);
    expect(isConnectionError(error)).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('an abort', () => {
  it('rejects with the signal’s reason, before, during and after the headers, and leaves no listener', async () => {
    await using server = await socketScript((request, response) => {
      if (request.url !== '/hang') response.write('begun');
    });
    await using transport = open(server.url);
    const reason = new Error('enough');
    await expect(transport.request({ ...get, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    const hanging = new AbortController();
    const answer = transport.request({ method: 'GET', path: '/hang', signal: hanging.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    hanging.abort(reason);
    await expect(answer).rejects.toBe(reason);

    const reading = new AbortController();
    const { body } = await transport.request({ ...get, signal: reading.signal });
    const text = readText(body);
    reading.abort(reason);
    await expect(text).rejects.toBe(reason);
    for (const { signal } of [hanging, reading]) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('frees every timer within the abort, not some time after it', async () => {
    await using server = await socketScript((request, response) => {
      if (request.url !== '/hang') response.write('begun');
    });
    const clock = new FakeClock();
    await using transport = open(server.url, { clock, requestTimeoutMs: 5000 });
    const hanging = new AbortController();
    const answer = thrownBy(transport.request({ ...get, path: '/hang', signal: hanging.signal }));
    await expect.poll(() => server.seen.length).toBe(1);
    expect(clock.pending).toBe(2);
    hanging.abort(new Error('enough'));
    expect([clock.pending, getEventListeners(hanging.signal, 'abort').length]).toEqual([0, 0]);
    expect((await answer).message).toBe('enough');

    const reading = new AbortController();
    const { body } = await transport.request({ ...get, signal: reading.signal });
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    expect(clock.pending).toBe(2);
    reading.abort(new Error('enough'));
    expect([clock.pending, getEventListeners(reading.signal, 'abort').length]).toEqual([0, 0]);
    const next = thrownBy(chunks.next());
    expect(clock.pending).toBe(0);
    expect((await next).message).toBe('enough');
  });

  it('a time limit of the transport frees the other timers as well', async () => {
    await using server = await socketScript(() => {});
    const clock = new FakeClock();
    const left: number[] = [];
    const spied: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, options) => clock.sleep(ms, options),
      yield: () => clock.yield(),
      after: (ms, run) =>
        clock.after(ms, () => {
          run();
          left.push(clock.pending);
        }),
    };
    await using transport = open(server.url, { clock: spied, requestTimeoutMs: 600_000 });
    const answer = thrownBy(transport.request({ ...get, path: '/hang' }));
    await expect.poll(() => server.seen.length).toBe(1);
    await clock.advance(75_000);
    expect(left).toEqual([0]);
    expect((await answer).message).toBe('GET /hang: no answer within 75s');
  });

  it('a body that is returned early closes its connection and leaves no listener', async () => {
    let closed = false;
    await using server = await socketScript((_, response) => {
      response.write('begun');
      response.on('close', () => {
        closed = true;
      });
    });
    await using transport = open(server.url);
    const controller = new AbortController();
    const { body } = await transport.request({ ...get, stream: true, signal: controller.signal });
    for await (const _ of body) break;
    await expect.poll(() => closed).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('close() aborts open requests, and later ones reject', async () => {
    await using server = await socketScript((_, response) => response.write('begun'));
    const transport = open(server.url);
    const { body } = await transport.request(get);
    const text = readText(body);
    text.catch(() => {});
    await transport.close();
    expect(isInformerError(await thrownBy(text), 'closed')).toBe(true);
    expect(isInformerError(await thrownBy(transport.request(get)), 'closed')).toBe(true);
  });
});

describe('the client’s own rate', () => {
  it('delays requests beyond the burst, and never streams', async () => {
    await using server = await socketScript((_, response) => response.end('ok'));
    const clock = new FakeClock();
    await using transport = open(server.url, { clock, qps: 1, burst: 1 });
    await transport.request(get);
    const second = transport.request(get);
    await transport.request({ ...get, stream: true });
    expect(server.seen).toHaveLength(2);
    await clock.advance(1000);
    await second;
    expect(server.seen).toHaveLength(3);
  });
});

describe('TLS', () => {
  it('verifies the server also where NODE_TLS_REJECT_UNAUTHORIZED=0 is set', async () => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end('hello'), pki.server);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      const config = createConfig({ server: server.url, tls: { servername: 'api.test' }, token: 'hush' });
      await using transport = open(config);
      expect((await thrownBy(transport.request(get))).message).toContain('certificate signed by unknown authority');
      expect(server.seen).toEqual([]);
      await using asked = open(createConfig({ server: server.url, tls: { rejectUnauthorized: false } }));
      expect(await readText((await asked.request(get)).body)).toBe('hello');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('verifies the server, sends the client certificate, and makes a new pool only if the material changes', async () => {
    const pki = await authority();
    await using server = await socketScript(
      (request, response) => {
        const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
        response.end(String(subject?.CN));
      },
      { ...pki.server, ca: pki.ca, requestCert: true, rejectUnauthorized: false },
    );
    const material = async (name: string) => ({ ca: pki.ca, servername: 'api.test', ...(await pki.client(name)) });
    let current = new Credentials({}, await material('one'));
    await using transport = open({ ...createConfig({ server: server.url }), credentials: async () => current });
    const whoami = async () => readText((await transport.request(get)).body);
    expect([await whoami(), await whoami(), await whoami()]).toEqual(['one', 'one', 'one']);
    const before = server.connections;
    current = new Credentials({ authorization: 'Bearer x' }, { ...current.tls });
    expect([await whoami(), server.connections]).toEqual(['one', before]);
    current = new Credentials({}, await material('two'));
    expect([await whoami(), server.connections]).toEqual(['two', before + 1]);

    const UNVERIFIED = 'Unable to connect to the server: tls: failed to verify certificate: x509: ';
    for (const [tls, text, hint] of [
      [{ servername: 'api.test' }, 'certificate signed by unknown authority', '`certificateAuthority` FILE'],
      [
        { ca: pki.ca, servername: 'other.test' },
        'certificate is valid for api.test, 127.0.0.1, not other.test',
        '`tlsServerName` api.test',
      ],
    ] as const) {
      await using other = open(createConfig({ server: server.url, tls }));
      const error = await thrownBy(other.request(get));
      expect(error.message).toBe(`${UNVERIFIED}${text} (${server.url})`);
      expect(error).toMatchObject({ hint: expect.stringContaining(hint) });
      expect(isConnectionError(error)).toBe(false);
    }
    await using careless = open(createConfig({ server: server.url, tls: { rejectUnauthorized: false } }));
    expect((await careless.request(get)).status).toBe(200);
  });

  it('a stream that is open when the material changes goes on', async () => {
    await using server = await socketScript((request, response) => {
      if (request.url === '/x') return response.end('ok');
      response.write('begun');
      return server.server.once('go-on', () => response.end(' and done'));
    });
    let current = new Credentials({}, {});
    await using transport = open({ ...createConfig({ server: server.url }), credentials: async () => current });
    const { body } = await transport.request({ method: 'GET', path: '/watch', stream: true });
    current = new Credentials({}, { passphrase: 'changed' });
    await readText((await transport.request(get)).body);
    server.server.emit('go-on');
    expect(await readText(body)).toBe('begun and done');
  });
});

describe('a server that is not what the URL says', () => {
  const swapped = (url: string) => url.replace(/^https?/, (scheme) => (scheme === 'http' ? 'https' : 'http'));

  it('has no TLS', async () => {
    await using server = await socketScript((_, response) => response.end('plain'));
    const url = swapped(server.url);
    await using transport = open(createConfig({ server: url }));
    const error = await thrownBy(transport.request(get));
    expect(error.message).toBe(
      `Unable to connect to the server: http: server gave HTTP response to HTTPS client (${url})`,
    );
    expect(error).toMatchObject({ code: 'transport', hint: expect.stringContaining(`http://${new URL(url).host}`) });
    expect(describeError(error)).toBe(`error: ${error.message}\nhint: ${(error as InformerError).hint}\n`);
    expect(describeError(error)).not.toMatch(/SSL routines|\.c:|:error:/);
  });

  it('has TLS of an unsupported version', async () => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end('old'), {
      ...pki.server,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await using transport = open(createConfig({ server: server.url, tls: { ca: pki.ca } }));
    const text = describeError(await thrownBy(transport.request(get)));
    expect(text).toMatch(/^error: Unable to connect to the server: [^\n]*(alert|version|protocol)[^\n]*\n/);
    expect(text).not.toMatch(/gave HTTP|SSL routines|\.c:|:error:/);
  });

  it('has TLS', async () => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end('secure'), pki.server);
    const url = swapped(server.url);
    await using transport = open(createConfig({ server: url }));
    const error = await thrownBy(transport.request(get));
    expect(error.message).toMatch(/^Unable to connect to the server: .*\(http:/);
    expect(error).toMatchObject({
      code: 'transport',
      hint: `does the server want TLS? then write it https://${new URL(url).host}`,
    });
  });

  it('has TLS, and says so as Go servers do', async () => {
    await using server = await socketScript((_, response) =>
      response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.\n'),
    );
    await using transport = open(server.url);
    const error = await statusErrorOf(await transport.request(get), { verb: 'list' });
    expect(error).toMatchObject({ statusCode: 400, hint: expect.stringContaining('https://') });
  });

  it('gets a certificate that cannot be read', async () => {
    await using transport = open(
      createConfig({ server: 'https://127.0.0.1:1', tls: { ca: 'x', cert: 'not PEM', key: 'neither' } }),
    );
    const error = await thrownBy(transport.request(get));
    expect(error.message).toBe('unable to load root certificates: unable to parse bytes as PEM block');
  });
});

describe('a proxy', () => {
  it('that is down is named in the hint, without its password', async () => {
    const proxy = await socketScript(() => {});
    await proxy[Symbol.asyncDispose]();
    const proxyUrl = proxy.url.replace('//', '//me:hush@');
    await using transport = open({ ...createConfig({ server: 'https://one.test' }), proxyUrl });
    const error = await thrownBy(transport.request(get));
    expect(error).toMatchObject({
      code: 'transport',
      hint: `requests go through the proxy ${proxy.url}: is it right, and up?`,
    });
  });

  /** A proxy that connects every tunnel to one local port, and records the requested addresses. */
  async function tunnel(port: number) {
    const asked: string[] = [];
    const proxy = await socketScript(() => {});
    proxy.server.on('connect', (request, socket) => {
      asked.push(String(request.url));
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on('error', () => {});
    });
    return Object.assign(proxy, { asked });
  }

  it('is asked to tunnel to the server', async () => {
    const pki = await authority();
    await using server = await socketScript((_, response) => response.end('through'), pki.server);
    await using proxy = await tunnel(Number(new URL(server.url).port));
    const config = {
      ...createConfig({ server: server.url, tls: { ca: pki.ca, servername: 'api.test' } }),
      proxyUrl: proxy.url,
    };
    await using transport = open(config);
    expect(await readText((await transport.request(get)).body)).toBe('through');
    expect(proxy.asked).toEqual([new URL(server.url).host]);
  });

  it.each([
    [false, false, 'gzip'],
    [true, false, undefined],
    [false, true, undefined],
  ])(
    'leads to a server elsewhere: answers are compressed, unless the kubeconfig says no (%s) or it is a watch (%s)',
    async (disableCompression, stream, expected) => {
      const pki = await authority();
      await using server = await socketScript((_, response) => response.end(), pki.server);
      await using proxy = await tunnel(Number(new URL(server.url).port));
      await using transport = open({
        ...createConfig({ server: 'https://api.test', tls: { ca: pki.ca } }),
        proxyUrl: proxy.url,
        disableCompression,
      });
      await readText((await transport.request({ ...get, stream })).body);
      expect(server.seen[0]?.headers['accept-encoding']).toBe(expected);
    },
  );

  it('of an unknown kind is refused by name, before anything is sent', () => {
    expect(() => createTransport({ ...createConfig({ server: 'https://x' }), proxyUrl: 'ftp://x' })).toThrow(
      'proxy-url "ftp://x" has an unsupported scheme',
    );
  });
});

it('a wait of a second or more for the own rate limit is a warning, one in ten seconds, that names the remedy', async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = createLogger((level, message, { next }) => void lines.push(`${level} ${message}: ${next}`));
  await using server = await socketScript((_, response) => response.end('ok'));
  await using transport = open(server.url, { clock, logger, qps: 2, burst: 1 });
  const told = () => lines.splice(0).filter((line) => line.includes('rate limit'));
  const send = () => transport.request(get).then(({ body }) => readText(body));
  const answers = Array.from({ length: 5 }, send); // they wait 0, 0.5, 1, 1.5 and 2 s
  await clock.advance(600);
  expect(told()).toEqual([expect.stringMatching(/^debug a request waited/)]);
  await clock.advance(2_000);
  await Promise.all(answers);
  const warning = "warn a request waited for the client's own rate limit: raise qps and burst of the client";
  expect(told().filter((line) => line.startsWith('warn'))).toEqual([warning]);
  await clock.advance(10_000);
  const later = Array.from({ length: 4 }, send);
  await clock.advance(5_000);
  await Promise.all(later);
  expect(told().filter((line) => line.startsWith('warn'))).toEqual([warning]);
});
