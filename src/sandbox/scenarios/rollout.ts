import { joinKey } from '../../model/key.ts';
import { APPS, type App, imageOf } from './shop.ts';
import { createShopCluster } from './shop-cluster.ts';
import { type Actor, keyOfMeta } from './workloads/actor.ts';
import type { Kubelet } from './workloads/kubelet.ts';
import { isActive, isReady, type Pod } from './workloads/workload-types.ts';
import type { World } from './world.ts';

/** How often the director decides, in ms. */
const BEAT_MS = { low: 250, high: 600 };

/** How long nothing can change before a small change happens, in ms. */
const QUIET_MS = 600;

/** How often a rollout, a change of scale or a broken release starts, in ms. */
const ACT_MS = { low: 6_000, high: 11_000 };

/**
 * A small shop on three nodes that changes all the time: deployments roll out and scale, probes fail, containers
 * restart. Controllers run in it, so that the actions of a client (scale, delete a pod, set an image) have their usual
 * effects.
 */
export function rollout(world: World): Disposable {
  const { actor, kubelet } = createShopCluster(world);
  new Director(actor, kubelet).start();
  return actor;
}

/** Decides what happens next, so that a watch of pods and deployments always has something to show. */
class Director {
  readonly #actor: Actor;
  readonly #kubelet: Kubelet;
  #lastChange = 0;
  #nextAct = 0;
  /** The number of releases so far, by app. */
  readonly #releases = new Map<string, number>();

  constructor(actor: Actor, kubelet: Kubelet) {
    this.#actor = actor;
    this.#kubelet = kubelet;
  }

  start(): void {
    const seen = () => {
      this.#lastChange = this.#actor.now;
    };
    this.#actor.onChange('Pod', seen);
    this.#actor.onChange('Deployment', seen);
    this.#lastChange = this.#actor.now;
    this.#nextAct = this.#actor.now + 1_500;
    this.#beat();
  }

  #beat(): void {
    this.#actor.after(this.#actor.between(BEAT_MS.low, BEAT_MS.high), () => {
      if (this.#actor.now >= this.#nextAct) this.#act();
      else if (this.#actor.now - this.#lastChange >= QUIET_MS) this.#stir();
      this.#beat();
    });
  }

  /** Starts a large change, in which the number of pods changes. */
  #act(): void {
    this.#nextAct = this.#actor.now + this.#actor.between(ACT_MS.low, ACT_MS.high);
    const app = this.#actor.pick(APPS.filter((a) => a.lively));
    if (!app) return;
    if (this.#actor.random() < 0.6) this.#release(app);
    else this.#rescale(app);
  }

  /** Makes a small change: one pod restarts a container or fails a probe. */
  #stir(): void {
    const pod = this.#actor.pick(this.#steadyPods());
    if (!pod) return;
    const chance = this.#actor.random();
    const key = keyOfMeta(pod.metadata);
    if (chance < 0.2) this.#kubelet.crash(key);
    else this.#kubelet.flap(key);
    if (chance > 0.8) this.#touchConfiguration();
  }

  #steadyPods(): Pod[] {
    const lively = new Set(APPS.filter((a) => a.lively).map((a) => a.name));
    return this.#actor
      .list('Pod', 'shop')
      .filter((p) => isActive(p) && isReady(p) && lively.has(p.metadata.labels?.app ?? ''));
  }

  #release(app: App): void {
    const { namespace, name } = app;
    const deployment = this.#actor.get('Deployment', joinKey(namespace, name));
    const container = deployment?.spec.template.spec.containers[0];
    if (!deployment || !container) return;
    const release = (this.#releases.get(name) ?? 0) + 1;
    this.#releases.set(name, release);
    container.image = imageOf(app, release);
    this.#actor.update(deployment, 'kubectl-set');
  }

  #rescale({ namespace, name, replicas }: App): void {
    const deployment = this.#actor.get('Deployment', joinKey(namespace, name));
    if (!deployment) return;
    const wanted = replicas - 1 + Math.floor(this.#actor.random() * 4);
    deployment.spec.replicas = wanted === deployment.spec.replicas ? replicas + 3 : Math.max(1, wanted);
    this.#actor.update(deployment, 'kubectl-scale');
  }

  #touchConfiguration(): void {
    const flag = this.#actor.random() < 0.5 ? 'true' : 'false';
    const limit = String(50 + Math.floor(this.#actor.random() * 10) * 10);
    const data = { 'new-checkout': flag, 'dark-mode': 'true', 'rate-limit': limit };
    const flags = { kind: 'ConfigMap', metadata: { name: 'feature-flags', namespace: 'shop' }, data };
    this.#actor.update(flags, 'kubectl-edit');
  }
}
