import type { Timer } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { isPlacedIn, selectorOf } from '../serve/hold/cached-view.ts';
import { changeHandler } from '../stream/envelope.ts';
import type { AgentCaches } from './agent-caches.ts';

/** Subscriptions of one agent. */
const MOST = 50;
/** Changes within this time are one notification, ms. */
const COALESCED_MS = 1000;

const LISTS = ['where', 'filter', 'eq', 'columns', 'paths'];

/** The arguments of `query` that a resource is. Throws `argument` for a URI of another kind. */
export function argumentsOf(uri: string): Record<string, unknown> {
  if (!uri.startsWith('kube:///') || !URL.canParse(uri))
    throw new InformerError('argument', 'a resource is kube:///TYPE?namespace=…&labels=…');
  const { pathname, searchParams } = new URL(uri);
  const given = [...new Set(searchParams.keys())].map((name) => {
    const all = searchParams.getAll(name);
    return [name, LISTS.includes(name) ? all : name === 'tokens' ? Number(all[0]) : all[0]] as const;
  });
  return { ...Object.fromEntries(given), type: decodeURIComponent(pathname.slice(1)) };
}

/** Notifies an agent that a resource has changed: at most once a second for each, with nothing of what has changed. */
export class Subscriptions implements Disposable {
  readonly #caches: AgentCaches;
  readonly #changed: (uri: string) => void;
  readonly #open = new Map<string, Disposable>();
  #isClosed = false;

  constructor(caches: AgentCaches, changed: (uri: string) => void) {
    this.#caches = caches;
    this.#changed = changed;
  }

  async add(uri: string): Promise<void> {
    if (this.#open.has(uri)) return;
    const { type, namespace, labels, fields } = argumentsOf(uri) as Record<string, string | undefined>;
    const { selections, targets } = await this.#caches.targetsOf(type ?? '');
    if (this.#isClosed || this.#open.has(uri)) return;
    if (this.#open.size >= MOST) throw new InformerError('argument', `an agent has at most ${MOST} subscriptions`);
    const { clock } = this.#caches.session;
    let timer: Timer | undefined;
    const tell = () => {
      timer ??= clock.after(COALESCED_MS, () => {
        timer = undefined;
        this.#changed(uri);
      });
    };
    const following = targets.flatMap(({ type: of, informer }, i) => {
      const names = selections[i]?.names ?? [];
      const selects = isPlacedIn(of, { names, namespaces: namespace?.split(',') ?? [''], selector: labels });
      const filter = fields === undefined ? undefined : selectorOf(of, { selector: undefined, fieldSelector: fields });
      return [
        informer.addSelecting(
          changeHandler(({ cause }) => {
            if (cause !== 'initial' && cause !== 'resync') tell();
          }),
          { filter },
          { selects, initial: false },
        ),
        // what is read then says whether it is current
        informer.onContinuity(({ kind }) => {
          if (['gap', 'relisted', 'disconnected', 'connected'].includes(kind)) tell();
        }),
      ];
    });
    this.#open.set(uri, {
      [Symbol.dispose]() {
        timer?.cancel();
        for (const each of following) each[Symbol.dispose]();
      },
    });
  }

  delete(uri: string): void {
    this.#open.get(uri)?.[Symbol.dispose]();
    this.#open.delete(uri);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const uri of [...this.#open.keys()]) this.delete(uri);
  }
}
