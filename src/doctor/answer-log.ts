import type { Transport } from '../client/http/transport.ts';
import type { Clock } from '../kit/clock.ts';

/** The clock of the server beside that of this machine, as one answer shows them. */
export interface ClockReading {
  /** How far the server is ahead, ms; negative when it is behind. */
  readonly aheadMs: number;
  /** By how much that may be wrong, ms. */
  readonly uncertainMs: number;
}

/** Facts about a server that its answers show. */
export class AnswerLog {
  requests = 0;
  /** Answers with 429. */
  throttled = 0;
  isCompressed = false;
  #reading: ClockReading | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The most exact reading so far. Undefined if no answer had a date. */
  get reading(): ClockReading | undefined {
    return this.#reading;
  }

  /** The same transport, observed. */
  through(transport: Transport): Transport {
    return {
      request: async (init) => {
        this.requests++;
        const sentAt = this.#clock.now();
        const onWait = (ms: number) => {
          this.throttled++;
          init.onWait?.(ms);
        };
        const answer = await transport.request({ ...init, onWait });
        if (answer.status === 429) this.throttled++;
        if (answer.headers['content-encoding'] === 'gzip') this.isCompressed = true;
        this.#read(answer.headers.date, sentAt, this.#clock.now());
        return answer;
      },
      close: () => transport.close(),
    };
  }

  /** A Date header has whole seconds, cut off: the server's time was up to a second later. */
  #read(date: string | undefined, sentAt: number, receivedAt: number): void {
    const time = Date.parse(date ?? '') + 500;
    const uncertainMs = 500 + (receivedAt - sentAt) / 2;
    if (Number.isNaN(time) || uncertainMs >= (this.#reading?.uncertainMs ?? Number.POSITIVE_INFINITY)) return;
    this.#reading = { aheadMs: time - (sentAt + receivedAt) / 2, uncertainMs };
  }
}
