import type { Transport } from '../../src/client/http/transport.ts';
import { through } from './in-process.ts';

/** A server whose versions cannot be compared: `123` is `x123`. */
export function unordered(transport: Transport): Transport {
  return through(transport, async (init, send) => {
    const path = init.path.replace(/resourceVersion=x/g, 'resourceVersion=');
    const { body: given } = init;
    const body = typeof given === 'string' ? given.replaceAll('"resourceVersion":"x', '"resourceVersion":"') : given;
    const response = await send({ ...init, path, body });
    return { ...response, body: init.stream ? renamed(response.body) : renamed(joined(response.body)) };
  });
}

async function* joined(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  yield Buffer.concat(pieces);
}

async function* renamed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  const inOther = (text: string) => Buffer.from(text.replace(/"resourceVersion":"(?=[1-9])/g, '"resourceVersion":"x'));
  for await (const piece of body) {
    rest += Buffer.from(piece).toString('latin1');
    const end = rest.lastIndexOf('\n') + 1;
    if (end > 0) yield inOther(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '') yield inOther(rest);
}
