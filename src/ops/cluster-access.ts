import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { scope } from '../kit/abort.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { ServerRequest, WholeAnswer } from '../kit/http-listener.ts';
import { defaultLogger } from '../kit/logger.ts';
import { RecentMap } from '../kit/recent-map.ts';
import { surroundingsOf } from '../kit/surroundings.ts';
import { ThinnedErrors } from '../kit/thinned-errors.ts';

const TOKEN_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };
const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };

/** How long an answer of the cluster counts, ms. Source: controller-runtime pkg/metrics/filters. */
const TOKEN_MS = 60_000;
const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
/** The most answers that are kept of each kind, about. */
const KEPT = 1000;
/** How long the cluster may take to answer, ms. */
const REVIEW_MS = 10_000;

/** The user of a token, as the cluster names it. Source: authentication/v1 UserInfo. */
interface User {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  /** Until when it counts, monotonic ms; set when the answer is there. */
  until: number;
}

/**
 * Asks the cluster who a request is from (TokenReview), and whether that user may have the path (SubjectAccessReview of
 * a nonResourceURL), and keeps the answers for a short time. Tokens are kept as hashes only. A cluster that does not
 * answer allows nothing.
 */
export class ClusterAccess {
  readonly #client: Client;
  readonly #tokens = new RecentMap<string, Kept<User | undefined>>(KEPT);
  readonly #decisions = new RecentMap<string, Kept<boolean>>(KEPT);
  readonly #reports: ThinnedErrors;

  constructor(client: Client) {
    this.#client = client;
    this.#reports = new ThinnedErrors(this.#clock);
  }

  get #clock() {
    return surroundingsOf(this.#client).clock ?? systemClock;
  }

  /** The answer to a request that may not have the path; undefined if it may. */
  async refusal({ method, headers }: ServerRequest, path: string): Promise<WholeAnswer | undefined> {
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) return refused(401, 'a bearer token is needed');
    try {
      const user = await this.#userOf(token);
      if (!user) return refused(401, 'the cluster does not know this token');
      if (await this.#allows(user, method.toLowerCase(), path)) return undefined;
      return refused(403, `${user.username} may not ${method.toLowerCase()} ${path}`);
    } catch (error) {
      const { logger = defaultLogger } = surroundingsOf(this.#client);
      this.#reports.report(logger, 'the cluster did not say who may have a page', { error: messageOf(error) });
      return refused(503, 'the cluster did not say whether you may have this page');
    }
  }

  #userOf(token: string): Promise<User | undefined> {
    const key = createHash('sha256').update(token).digest('base64');
    return this.#kept(this.#tokens, key, async () => {
      const status = (await this.#review(TOKEN_REVIEWS, 'TokenReview', { token })) as {
        authenticated?: boolean;
        user?: User;
      };
      return { answer: status.authenticated === true ? status.user : undefined, ms: TOKEN_MS };
    });
  }

  #allows(user: User, verb: string, path: string): Promise<boolean> {
    const { username, uid, groups, extra } = user;
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb } };
    return this.#kept(this.#decisions, JSON.stringify(spec), async () => {
      const { allowed } = (await this.#review(ACCESS_REVIEWS, 'SubjectAccessReview', spec)) as { allowed?: boolean };
      return { answer: allowed === true, ms: allowed ? ALLOWED_MS : DENIED_MS };
    });
  }

  /** An answer that still counts, or a new one. Those who ask at once wait for one answer. A failure is not kept. */
  #kept<T>(known: RecentMap<string, Kept<T>>, key: string, ask: () => Promise<{ answer: T; ms: number }>): Promise<T> {
    const now = () => this.#clock.monotonic();
    const found = known.use(key);
    if (found && found.until > now()) return found.answer;
    const asked = ask();
    const kept: Kept<T> = { answer: asked.then(({ answer }) => answer), until: Number.POSITIVE_INFINITY };
    known.set(key, kept);
    asked.then(
      ({ ms }) => (kept.until = now() + ms),
      () => known.peek(key) === kept && known.delete(key),
    );
    return kept.answer;
  }

  async #review(gvr: typeof TOKEN_REVIEWS, kind: string, spec: object): Promise<object> {
    using time = scope();
    using _timer = this.#clock.after(REVIEW_MS, () => time.abort(new InformerError('transport', 'no answer in time')));
    const review = { apiVersion: `${gvr.group}/${gvr.version}`, kind, metadata: {}, spec };
    const { status } = await this.#client.resource(gvr).create(review, { signal: time.signal });
    return status ?? {};
  }
}

function refused(status: number, why: string): WholeAnswer {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return { status, type: 'text/plain; charset=utf-8', body: `${why}\n`, headers };
}
