import type { Session } from '../cli/session/session.ts';
import { messageOf } from '../kit/error.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import { withoutLogin } from '../kit/secret-free-text.ts';
import { openControlSocket } from '../ops/control-socket.ts';
import type { InspectedInformer } from '../ops/health.ts';
import type { InspectedController } from '../ops/inspected.ts';
import { createOpsServer } from '../ops/ops-server.ts';
import { createPrometheusMetrics } from '../ops/prometheus.ts';
import { VERSION } from '../package.ts';
import { serveIdentity } from '../serve/folder-key.ts';

/** A running operator, as its pages show it. The lists change while it runs. */
export interface ShownOperator {
  readonly name: string;
  readonly controllers: readonly InspectedController[];
  readonly informers: readonly InspectedInformer[];
  /** Why it is not ready; undefined if it is. */
  readonly unready: () => string | undefined;
}

/** The metrics of the program, and behind them those of the hooks. */
export interface OperatorMetrics {
  readonly provider: MetricsProvider | undefined;
  readonly page: { readonly text: () => Promise<string>; readonly contentType: string } | undefined;
}

export async function operatorMetrics(address: string | undefined, hooks: () => string): Promise<OperatorMetrics> {
  if (address === undefined) return { provider: undefined, page: undefined };
  const provider = await createPrometheusMetrics();
  provider.observe('kubectl_informer_info', { version: VERSION }, () => 1);
  const text = async () => `${withoutEnd(await provider.text())}\n${hooks()}`;
  return { provider, page: { text, contentType: provider.contentType } };
}

/** A page of OpenMetrics without its end mark, behind which nothing may come. */
const withoutEnd = (text: string) =>
  text
    .trimEnd()
    .replace(/# EOF$/, '')
    .trimEnd();

/**
 * Opens the pages of `--metrics` and the private socket of `queue` and `reconcile explain`. Rejects if the port cannot
 * be used; a socket that cannot be opened is only reported. Disposal closes both.
 */
export async function openPages(
  session: Session,
  shown: ShownOperator,
  { address, page }: { address: string | undefined; page: OperatorMetrics['page'] },
): Promise<AsyncDisposable> {
  const { clock, config, io, signal, atOnce } = session;
  const { name, controllers, informers, unready } = shown;
  const readyChecks = [{ name: 'hooks', reason: unready }];
  const program = {
    controllers,
    informers,
    readyChecks,
    liveChecks: [],
    ending: signal,
    clock,
  };
  const opened: AsyncDisposable[] = [];
  if (address !== undefined) {
    const server = createOpsServer({ address, metrics: page, ...program });
    opened.push(server);
    session.notice(`metrics, health and debug pages: http://${await server.start()}`);
  }
  const description = {
    version: 1,
    pid: process.pid,
    name,
    type: 'hooks of shell-operator',
    server: withoutLogin(config.server),
    context: config.context,
    identity: config.identity === undefined ? undefined : serveIdentity(config).key,
    namespaces: [],
    started: new Date(clock.now()).toISOString(),
  } as const;
  try {
    const socket = await openControlSocket({ ...program, objects: [], metrics: undefined }, description, io.env);
    opened.push(socket);
    atOnce.add(() => socket.removeNow());
  } catch (error) {
    session.notice(`queue and reconcile explain cannot reach this program: ${messageOf(error)}`);
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const each of opened.reverse()) await each[Symbol.asyncDispose]();
    },
  };
}
