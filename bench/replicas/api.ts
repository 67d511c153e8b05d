import { readFileSync } from 'node:fs';
import { type Agent, Agent as HttpsAgent, request } from 'node:https';

/** Plain requests to a server, without any of the code that is tried here. */
export class Api {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const text = readFileSync(kubeconfig, 'utf8');
    const of = (name: string) => new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(text)?.[1];
    const pem = (name: string) => Buffer.from(of(`${name}-data`) ?? '', 'base64').toString() || undefined;
    const token = of('token');
    this.url = new URL(of('server') ?? '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { ca, cert, key } = {
      ca: pem('certificate-authority'),
      cert: pem('client-certificate'),
      key: pem('client-key'),
    };
    this.#agent = new HttpsAgent({ keepAlive: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
  }

  /** The answer, parsed. Rejects for a status from 400. */
  async send(method: string, path: string, body?: object, type = 'application/json'): Promise<unknown> {
    const response = await this.#open(method, path, body, type);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if ((response.statusCode ?? 0) >= 400) throw new ApiError(response.statusCode ?? 0, `${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Each event of a watch in the order of the server, until the signal aborts. Rejects when the watch ends before. */
  async watch(path: string, see: (type: string, object: WatchedObject) => void, signal: AbortSignal): Promise<void> {
    try {
      const response = await this.#open('GET', path, undefined, 'application/json', signal);
      let rest = '';
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { type, object } = JSON.parse(line);
          see(type, object);
        }
      }
      throw new Error(`the watch ${path} has ended`);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body: object | undefined, type: string, signal?: AbortSignal) {
    return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const headers = { ...this.#headers, ...(body && { 'content-type': type }) };
      const sent = request(new URL(path, this.url), { method, headers, agent: this.#agent, ...(signal && { signal }) });
      sent.once('response', resolve).once('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }
}

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface WatchedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}
