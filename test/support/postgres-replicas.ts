import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';

const REPLICA = path.resolve(import.meta.dirname, 'postgres-replica.ts');

/** Two replicas of the operator of PostgreSQL that see a cluster late, one way to their webhooks, and their deaths. */
export class PostgresReplicas implements AsyncDisposable {
  /** The URL of the webhooks: it leads to a replica that lives. */
  url = '';
  readonly #folder: string;
  readonly #election: object;
  readonly #servers: net.Server[] = [];
  readonly #ports: number[] = [];
  readonly #running: ChildProcess[] = [];
  #isOver = false;

  /** @param folder For the kubeconfig of the replicas, and what they say: `0.log`, `1.log`. */
  constructor(folder: string, election: object = {}) {
    this.#folder = folder;
    this.#election = election;
    mkdirSync(folder, { recursive: true });
  }

  /** Makes the ways: to the server at `server`, whose answers come `lagMs` late, and to the webhooks. */
  async open(kubeconfig: string, server: string, lagMs: number): Promise<void> {
    for (const _ of [0, 1]) this.#ports.push(await freePort());
    this.url = `https://127.0.0.1:${await this.#listen(toFirst(this.#ports))}`;
    const { port, hostname } = new URL(server);
    const late = await this.#listen(lateWay(Number(port), hostname, lagMs));
    const text = readFileSync(kubeconfig, 'utf8').replaceAll(server, `https://127.0.0.1:${late}`);
    writeFileSync(this.#kubeconfig, text);
  }

  start(): void {
    for (const at of [0, 1]) this.#start(at);
  }

  /** Ends a replica as the kernel does. It starts again. */
  kill(at: number): void {
    this.#running[at]?.kill('SIGKILL');
  }

  /** Stops a replica, until the function that is returned is called. */
  freeze(at: number): () => void {
    const child = this.#running[at];
    child?.kill('SIGSTOP');
    return () => void child?.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const child of this.#running) child.kill('SIGKILL');
    for (const server of this.#servers) server.close();
  }

  get #kubeconfig(): string {
    return path.join(this.#folder, 'config');
  }

  #start(at: number): void {
    const log = openSync(path.join(this.#folder, `${at}.log`), 'a');
    const env = {
      ...process.env,
      WEBHOOK_URL: this.url,
      KUBECONFIG: this.#kubeconfig,
      WEBHOOK_PORT: String(this.#ports[at]),
      ELECTION: JSON.stringify({ ...this.#election, identity: `replica-${at}-${Date.now()}` }),
    };
    const child = spawn(process.execPath, [REPLICA], { env, stdio: ['ignore', log, log] });
    this.#running[at] = child;
    child.on('exit', () => {
      if (!this.#isOver) this.#start(at);
    });
  }

  async #listen(server: net.Server): Promise<number> {
    this.#servers.push(server.listen(0, '127.0.0.1'));
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  }
}

/** Passes each connection on to the first port at which someone listens. */
function toFirst(ports: readonly number[]): net.Server {
  return net.createServer((from) => {
    from.on('error', () => {});
    const to = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void from.destroy();
      const socket = net.connect(port, '127.0.0.1', () => from.pipe(socket).pipe(from));
      socket.on('error', () => to(others));
    };
    to(ports);
  });
}

function lateWay(port: number, hostname: string, lagMs: number): net.Server {
  return net.createServer((from) => {
    const to = net.connect(port, hostname);
    from.pipe(to);
    to.on('data', (data) => void setTimeout(() => from.destroyed || from.write(data), lagMs));
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
    to.on('close', () => void setTimeout(() => from.destroy(), lagMs));
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
