import { InformerError } from '../../kit/error.ts';
import { formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import type { TransportResponse } from '../http/transport.ts';

/** The start of a body as text. The body is closed. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const piece of body) return Buffer.from(piece).toString('utf8', 0, 512);
  return '';
}

/** Refuses a response that is not JSON: the page of a login or a proxy may have the status 200, too. */
export async function checkIsWatch({ headers, body }: TransportResponse, gvr: GroupVersionResource): Promise<void> {
  const type = headers['content-type'];
  if (type === undefined || /json/i.test(type)) return;
  const start = (await beginningOf(body).catch(() => '')).replace(/\s+/g, ' ').trim().slice(0, 80);
  throw new InformerError(
    'decode',
    `the answer to watching ${formatGvr(gvr)} is not a watch but ${type}: ${JSON.stringify(start)}`,
    {
      hint: 'something in front of the API server answers in its place: a login page, or a proxy',
    },
  );
}
