import { randomBytes } from 'node:crypto';
import { makeSignedCertificate } from '../../kit/certificate.ts';
import type { Clock } from '../../kit/clock.ts';
import { failure } from '../../model/status.ts';
import type { ApiRequest, ApiResponse } from '../api/exchange.ts';
import { respondStatus } from '../api/respond.ts';
import { sandboxKubeconfig } from './kubeconfig.ts';
import { SocketServer } from './socket-server.ts';

/** A server that kubectl and other programs ask, until it is disposed of. */
export interface HandlerServer extends AsyncDisposable {
  readonly url: string;
  readonly kubeconfig: string;
}

const HOST = '127.0.0.1';

/** Serves requests over HTTPS to programs that have the token of its kubeconfig. Rejects as `listen` does. */
export async function serveHandler(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  { port, clock }: { readonly port: number; readonly clock: Clock },
): Promise<HandlerServer> {
  const token = randomBytes(16).toString('hex');
  const certificate = makeSignedCertificate(HOST, clock.now());
  const serve = async (request: ApiRequest): Promise<ApiResponse> =>
    request.headers?.authorization === `Bearer ${token}`
      ? await handle(request)
      : respondStatus(failure(401, 'Unauthorized', 'Unauthorized'));
  const socket = await SocketServer.listen({ host: HOST, port, certificate, serve });
  const url = `https://${HOST}:${socket.port}`;
  return {
    url,
    kubeconfig: sandboxKubeconfig({ url, caPem: certificate.ca, token, namespace: 'default' }),
    [Symbol.asyncDispose]: () => socket.stop(),
  };
}
