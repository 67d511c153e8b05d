import type { Controller } from '../../controller/controller.ts';
import type { ManagerCheck } from '../../controller/manager/checks.ts';
import { messageOf } from '../../kit/error.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { withoutLogin } from '../../kit/secret-free-text.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { ControlSocket } from '../../ops/control-socket.ts';
import type { InspectedInformer } from '../../ops/health.ts';
import type { ReconciledObjects } from '../../ops/inspected.ts';
import type { OpsServer } from '../../ops/ops-server.ts';
import { VERSION } from '../../package.ts';
import { serveIdentity } from '../../serve/folder-key.ts';
import type { Edges } from '../base-command.ts';
import type { Session } from '../session/session.ts';

/** The parts of a run that its pages show. The lists are filled when the run begins. */
interface Shown {
  readonly controllers: Controller[];
  readonly informers: InspectedInformer[];
  readonly liveChecks: ManagerCheck[];
}

/** A run, as it is shown to others. */
interface AttachedRun {
  readonly name: string;
  readonly type: ResourceType;
  readonly namespaces: readonly string[];
  readonly controller: Controller;
  readonly informers: readonly InspectedInformer[];
  /** The cache of the reconciled objects. */
  readonly objects: ReconciledObjects;
  /** Throws when the program should be started again. */
  readonly check?: (() => void) | undefined;
}

/**
 * How a running `reconcile` is looked after: the pages of `--metrics`, and the private socket of `queue` and
 * `reconcile explain`. Disposal ends both.
 */
export class Operations implements AsyncDisposable {
  /** Gets the measurements; undefined without `--metrics`. */
  readonly metrics: MetricsProvider | undefined;
  readonly #server: OpsServer | undefined;
  readonly #address: string | undefined;
  readonly #shown: Shown;
  readonly #ending: AbortSignal;
  #socket: ControlSocket | undefined;

  private constructor(
    shown: Shown,
    ending: AbortSignal,
    server?: { metrics: MetricsProvider; server: OpsServer; address: string },
  ) {
    this.#shown = shown;
    this.#ending = ending;
    this.#server = server?.server;
    this.#address = server?.address;
    this.metrics = server?.metrics;
  }

  /**
   * Listens on the address of `--metrics`, before anything else is started: a port that is taken is an error at once.
   * Not ready until {@link attach}.
   */
  static async open(address: string | undefined, { signal }: Edges): Promise<Operations> {
    const shown: Shown = { controllers: [], informers: [], liveChecks: [] };
    if (address === undefined) return new Operations(shown, signal);
    const [{ createOpsServer }, { createPrometheusMetrics }] = await Promise.all([
      import('../../ops/ops-server.ts'),
      import('../../ops/prometheus.ts'),
    ]);
    const metrics = await createPrometheusMetrics();
    metrics.observe('kubectl_informer_info', { version: VERSION }, () => 1);
    const started = { name: 'start', reason: () => (shown.controllers.length > 0 ? undefined : 'is starting') };
    const options = {
      address,
      metrics,
      ...shown,
      readyChecks: [started],
      ending: signal,
    };
    const server = createOpsServer(options);
    return new Operations(shown, signal, { metrics, server, address: await server.start() });
  }

  /** Shows a run from now on. A private socket that cannot be opened is reported, and the run goes on without it. */
  async attach(session: Session, run: AttachedRun): Promise<void> {
    const { name, controller, informers } = run;
    this.#shown.controllers.push(controller);
    this.#shown.informers.push(...informers);
    if (run.check) this.#shown.liveChecks.push({ name: 'lease', reason: () => void run.check?.() });
    this.metrics?.observe('kubectl_informer_parked_keys', { name }, () => controller.parked.length);
    if (this.#address !== undefined) session.notice(`metrics, health and debug pages: http://${this.#address}`);
    try {
      this.#socket = await this.#open(session, run);
    } catch (error) {
      session.notice(`queue and reconcile explain cannot reach this program: ${messageOf(error)}`);
    }
  }

  async #open({ config, clock, io, atOnce }: Session, { name, type, objects, namespaces }: AttachedRun) {
    const { openControlSocket } = await import('../../ops/control-socket.ts');
    const program = {
      ...this.#shown,
      objects: [objects],
      metrics: undefined,
      readyChecks: [],
      clock,
      ending: this.#ending,
    };
    const description = {
      version: 1,
      pid: process.pid,
      name,
      type: formatGroupResource(type.gvr),
      server: withoutLogin(config.server),
      context: config.context,
      identity: config.identity === undefined ? undefined : serveIdentity(config).key,
      namespaces: type.namespaced ? namespaces.filter((namespace) => namespace !== '') : [],
      started: new Date(clock.now()).toISOString(),
    } as const;
    const socket = await openControlSocket(program, description, io.env);
    atOnce.add(() => socket.removeNow());
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket?.[Symbol.asyncDispose]();
    await this.#server?.[Symbol.asyncDispose]();
  }
}
