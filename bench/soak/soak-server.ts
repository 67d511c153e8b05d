import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Answer, Order, Said } from './protocol.ts';
import { type ObjectState, TypeTruth } from './truth.ts';

/** What a server begins with. */
export interface ServerOptions {
  /** The built sandbox. */
  readonly library: string;
  readonly seed: number;
  /** Names of objects in each of three namespaces. Default: 20. */
  readonly names?: number;
  /** The part of the changes that delete an object. Default: 0.12. */
  readonly deleted?: number;
}

/** The process of the server, what it wrote, and what it is asked to do. */
export class SoakServer {
  readonly truths = new Map<string, TypeTruth>(['v1/configmaps', 'v1/secrets'].map((gvr) => [gvr, new TypeTruth(gvr)]));
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  #orders = 0;
  changes = 0;

  constructor({ library, seed, names = 20, deleted = 0.12 }: ServerOptions) {
    const words = [library, seed, names, deleted].map(String);
    this.#child = fork(path.join(import.meta.dirname, 'server.ts'), words, { stdio: 'inherit' });
    this.#child.on('message', (said: Said) => this.#heard(said));
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the server has ended with ${code}`));
    });
  }

  async ask(order: Order): Promise<Answer> {
    const to = ++this.#orders;
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting.set(to, waiting);
    this.#child.send({ order, to });
    return waiting.promise.finally(() => this.#waiting.delete(to));
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #heard(said: Said): void {
    if ('answer' in said) this.#waiting.get(said.to)?.resolve(said.answer);
    else if ('failure' in said) this.#waiting.get(said.to)?.reject(new Error(said.failure));
    else if ('start' in said) {
      const { epoch, types } = said.start;
      for (const [gvr, states] of types)
        this.truths.get(gvr)?.begin({ epoch, gvr, states: new Map(states as [string, ObjectState][]) });
    } else {
      this.changes += said.transitions.length;
      for (const transition of said.transitions) this.truths.get(transition.gvr)?.add(transition);
    }
  }
}
