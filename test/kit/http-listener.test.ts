import { get } from 'node:http';
import { expect, it } from 'vitest';
import { aborted } from '../../src/kit/abort.ts';
import { listen } from '../../src/kit/http-listener.ts';

it('the signal of a request aborts when the client leaves before its answer, and not before', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const whole = { status: 200, type: 'text/plain', body: 'yes' };
  await using listener = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      async answer({ url, signal }) {
        if (url === '/at-once') return { ...whole, headers: { aborted: String(signal.aborted) } };
        asked.resolve(signal);
        await aborted(signal);
        return whole;
      },
    },
  );
  const leaver = get(`http://${listener.address}/waits`).on('error', () => {});
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  leaver.destroy();
  await aborted(signal);
  expect(signal.reason).toMatchObject({ code: 'closed', message: 'the client has gone' });
  const header = await new Promise((resolve, reject) => {
    get(`http://${listener.address}/at-once`, (response) => resolve(response.resume().headers.aborted)).on(
      'error',
      reject,
    );
  });
  expect(header).toBe('false');
});
