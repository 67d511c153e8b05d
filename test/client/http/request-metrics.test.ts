import { expect, it } from 'vitest';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { createTransport } from '../../../src/client/http/http-transport.ts';
import { readText } from '../../../src/client/http/response.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { readableMetrics } from '../../support/prometheus.ts';
import { socketScript } from '../../support/socket-script.ts';

it('counts each request by code, method and host, observes its latency, and names no path or token', async () => {
  await using server = await socketScript((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 404).end('{}');
  });
  const { metrics, values } = await readableMetrics();
  const transport = createTransport(createConfig({ server: `${server.url}/k8s`, token: 'secret' }), { metrics });
  await readText((await transport.request({ method: 'GET', path: '/api/v1/pods/private-name' })).body);
  await readText((await transport.request({ method: 'GET', path: '/api/v1/pods/private-name' })).body);
  await readText((await transport.request({ method: 'POST', path: '/api/v1/pods', body: '{}' })).body);
  await readText((await transport.request({ method: 'GET', path: '/api/v1/pods?watch=1', stream: true })).body);
  await transport.close();
  const { host } = new URL(server.url);
  const found = await values();
  expect(found).toMatchObject({
    [`rest_client_requests_total{code="404",host="${host}",method="GET"}`]: 3,
    [`rest_client_requests_total{code="201",host="${host}",method="POST"}`]: 1,
    [`rest_client_request_duration_seconds_count{host="${host}",verb="GET"}`]: 2,
    [`rest_client_request_duration_seconds_count{host="${host}",verb="POST"}`]: 1,
    [`rest_client_rate_limiter_duration_seconds_count{host="${host}",verb="GET"}`]: 2,
  });
  expect(JSON.stringify(found)).not.toMatch(/private-name|secret|k8s/);
});

it('counts a request without a response as <error>, and one that is repeated each time', async () => {
  let answers = 0;
  await using server = await socketScript((_, response) => {
    if (answers++ === 0) response.writeHead(429, { 'retry-after': '1' }).end('{}');
    else response.end('{}');
  });
  const clock = new FakeClock();
  const { metrics, values } = await readableMetrics();
  const config = createConfig({ server: server.url });
  const transport = createTransport(config, { metrics, clock });
  const answer = transport.request({ method: 'PUT', path: '/x' });
  await expect.poll(() => clock.nextIn).toBe(1000);
  await clock.advance(1000);
  await readText((await answer).body);
  await transport.close();
  const { host } = new URL(server.url);
  expect(await values()).toMatchObject({
    [`rest_client_requests_total{code="429",host="${host}",method="PUT"}`]: 1,
    [`rest_client_requests_total{code="200",host="${host}",method="PUT"}`]: 1,
    [`rest_client_request_retries_total{code="429",host="${host}",verb="PUT"}`]: 1,
  });
  const refused = createTransport(createConfig({ server: 'http://127.0.0.1:1' }), { metrics });
  await expect(refused.request({ method: 'GET', path: '/x' })).rejects.toThrow();
  await refused.close();
  expect(await values()).toMatchObject({
    'rest_client_requests_total{code="<error>",host="127.0.0.1:1",method="GET"}': 1,
  });
});
