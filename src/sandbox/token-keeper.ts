import { randomBytes } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';

/** The one token a server takes at a time. */
export class TokenKeeper {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  #token: string;
  #expiresAt: number;

  /** Each token is good for `lifetimeMs`, Infinity = for good. */
  constructor(clock: Clock, lifetimeMs: number, token: string = newToken()) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#token = token;
    this.#expiresAt = this.#end();
  }

  /** The latest token, expired or not. */
  get token(): string {
    return this.#token;
  }

  /** What a request must carry now: once the token has expired something nobody knows. */
  get taken(): string {
    return this.#clock.monotonic() < this.#expiresAt ? this.#token : newToken();
  }

  /** The token is not taken any more. */
  expire(): void {
    this.#expiresAt = Number.NEGATIVE_INFINITY;
  }

  /** A new token in place of the one before, which is not taken any more. */
  rotate(): string {
    this.#token = newToken();
    this.#expiresAt = this.#end();
    return this.#token;
  }

  #end(): number {
    return this.#clock.monotonic() + this.#lifetimeMs;
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
