import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { isLoopback } from '../../client/http/connection-text.ts';
import type { ServerRequest, WholeAnswer } from '../../kit/http-listener.ts';
import { jsonError } from './routes.ts';

/** Where `--listen` listens, and what a program must send there. */
export interface ListenPlan {
  readonly host: string;
  readonly port: number;
}

/** A bearer token in a file that only this user can read. Disposal removes the file. */
export class ListenToken implements Disposable {
  readonly file: string;
  readonly #token = randomBytes(32).toString('base64url');

  constructor(file: string) {
    this.file = file;
    rmSync(file, { force: true });
    writeFileSync(file, `${this.#token}\n`, { mode: 0o600, flag: 'wx' });
  }

  [Symbol.dispose](): void {
    rmSync(this.file, { force: true });
  }

  /** The refusal of a request that came over the port; undefined for one that may be answered. */
  refusal({ headers }: Pick<ServerRequest, 'headers'>, { host, port }: ListenPlan): WholeAnswer | undefined {
    const { host: sent = '', origin, authorization = '' } = headers;
    if (!isOurHost(sent, host, port)) return jsonError(403, 'the Host header names another server');
    if (origin !== undefined && origin !== `http://${sent}`)
      return jsonError(403, 'pages of other origins are not answered');
    const [, given = ''] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    if (isEqual(given, this.#token)) return undefined;
    const refused = jsonError(
      401,
      'the token is missing or wrong',
      'send it as "Authorization: Bearer …"; serve says at its start which file it is in',
    );
    return { ...refused, headers: { ...refused.headers, 'www-authenticate': 'Bearer' } };
  }
}

/** A page of a browser that was led here by a name of its own sends that name. */
function isOurHost(sent: string, host: string, port: number): boolean {
  const ownPort = /:(\d+)$/.exec(sent)?.[1];
  if (ownPort !== undefined && Number(ownPort) !== port) return false;
  const bare = sent.replace(/:\d+$/, '').replaceAll(/[[\]]/g, '');
  return (
    bare !== '' && (bare === host || (isLoopback(host) && isLoopback(bare)) || host === '0.0.0.0' || host === '::')
  );
}

/** Compares in a time that does not depend on where the texts differ. */
function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
