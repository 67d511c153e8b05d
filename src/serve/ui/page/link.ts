import type { UiMessage, UiRefusal } from '../wire.ts';

/** How the page is connected with its serve. */
export type LinkState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** The page sleeps: it is hidden, and reads nothing. */
  | { readonly kind: 'asleep' }
  | { readonly kind: 'lost'; readonly since: number; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** A hidden page closes its stream after this time, ms. */
const SLEEP_MS = 60_000;
const RETRY_MS = [500, 1000, 2000, 5000];
const KEPT_AS = 'kubectl-informer-token';

/** A refusal of the server. */
export class ServeRefusal extends Error {
  readonly status: number;
  readonly refusal: UiRefusal;

  constructor(status: number, refusal: UiRefusal) {
    super(refusal.error);
    this.status = status;
    this.refusal = refusal;
  }
}

/**
 * The connection with the serve. The token comes from the URL's fragment, leaves the address bar at once, and is sent
 * in a header only; so the stream is read with fetch, because an EventSource cannot send one.
 */
export class Link {
  #token: string | undefined;
  #open: AbortController | undefined;
  #tries = 0;
  #lostAt: number | undefined;
  #retry: number | undefined;
  #nap: number | undefined;
  readonly #take: (message: UiMessage) => void;
  readonly #changed: (state: LinkState) => void;

  constructor(take: (message: UiMessage) => void, changed: (state: LinkState) => void) {
    this.#take = take;
    this.#changed = changed;
    document.addEventListener('visibilitychange', () => this.#visible());
  }

  /** Takes the token from the fragment, if there is one. The rest of the fragment stays. */
  takeToken(): boolean {
    const parts = new URLSearchParams(location.hash.slice(1));
    const token = parts.get('token');
    if (token !== null) {
      parts.delete('token');
      const rest = parts.toString();
      history.replaceState(null, '', location.pathname + (rest ? `#${rest}` : ''));
      remember(token);
    }
    this.#token = token ?? this.#token ?? remembered();
    return token !== null;
  }

  start(): void {
    this.stop();
    if (this.#token === undefined) this.#changed({ kind: 'refused', why: 'The URL has no token.' });
    else void this.#read(this.#token);
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#open?.abort();
    this.#open = undefined;
  }

  /** Sends a question, and resolves with the answer. Rejects with {@link ServeRefusal}, or when the serve is away. */
  async ask<T>(path: 'view' | 'values' | 'timeline', body: object): Promise<T> {
    const response = await fetch(path, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new ServeRefusal(response.status, answer as UiRefusal);
    return answer as T;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token ?? ''}` };
  }

  async #read(token: string): Promise<void> {
    const open = new AbortController();
    this.#open = open;
    if (this.#lostAt === undefined) this.#changed({ kind: 'opening' });
    try {
      const response = await fetch('stream', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        cache: 'no-store',
        signal: open.signal,
      });
      if (!response.ok || !response.body) throw new ServeRefusal(response.status, (await response.json()) as UiRefusal);
      for await (const message of messagesOf(response.body)) {
        if (this.#tries > 0 || message.event === 'hello') this.#isOpen();
        this.#take(message);
      }
      throw new Error('the serve has ended');
    } catch (error) {
      if (open.signal.aborted) return;
      this.#failed(error);
    }
  }

  #isOpen(): void {
    this.#tries = 0;
    this.#lostAt = undefined;
    this.#changed({ kind: 'open' });
  }

  #failed(error: unknown): void {
    if (error instanceof ServeRefusal && (error.status === 401 || error.status === 403)) {
      this.#changed({ kind: 'refused', why: `${error.message}.` });
      return;
    }
    this.#lostAt ??= Date.now();
    const why = error instanceof ServeRefusal ? error.message : 'it has ended, or does not answer';
    this.#changed({ kind: 'lost', since: this.#lostAt, why });
    const wait = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)];
    this.#retry = setTimeout(() => this.start(), wait);
  }

  #visible(): void {
    clearTimeout(this.#nap);
    if (document.visibilityState === 'hidden') {
      this.#nap = setTimeout(() => {
        this.stop();
        this.#changed({ kind: 'asleep' });
      }, SLEEP_MS);
    } else if (!this.#open) this.start();
  }
}

/** Messages of a stream of server-sent events, as they come. */
async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<UiMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\ndata: ([\s\S]*)$/.exec(part) ?? [];
      if (event && data) yield { event, data: JSON.parse(data) } as UiMessage;
    }
  }
}

/** Kept for this tab only, so that a reload works. */
function remember(token: string): void {
  try {
    sessionStorage.setItem(KEPT_AS, token);
  } catch {
    // the browser keeps nothing: a reload needs the whole URL again
  }
}

function remembered(): string | undefined {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? undefined;
  } catch {
    return undefined;
  }
}
