import { messageOf } from '../../kit/error.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import { withoutEnd } from '../../kit/without-end.ts';
import type { UnknownObject } from '../../model/object.ts';
import { secretsOf } from '../../query/index/pod-references.ts';
import type { FailedContainer } from '../../story/fact.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { ReportingServer } from '../session/session.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

/** Reads the last log lines of containers that failed. Values of Secrets that their pods use are marked in them. */
export class LogLines {
  readonly #session: ReportingServer;
  readonly #count: number;
  readonly #redactor: Redactor;
  readonly #secrets = new Map<string, Promise<readonly string[]>>();

  constructor(session: ReportingServer, count: number, redactor: Redactor) {
    this.#session = session;
    this.#count = count;
    this.#redactor = redactor;
  }

  /** The lines, or one that says why there are none. */
  async of(failure: FailedContainer): Promise<readonly string[]> {
    const { namespace, pod: name, container } = failure;
    const { client, signal } = this.#session;
    try {
      const pod = await client.resource<UnknownObject>(PODS, { namespace }).get(name, { signal });
      const previous = isPrevious(pod, failure);
      if (previous === undefined) return ['(its log is not kept any more)'];
      const query = new URLSearchParams({ container, tailLines: String(this.#count), previous: String(previous) });
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log?${query}`;
      const text = await client.raw(path, { signal, accept: '*/*' });
      const values = await this.#valuesOf(pod, namespace);
      const lines = text.split(/\r?\n/).filter((line) => line !== '').slice(-this.#count); // biome-ignore format: short
      return lines.length === 0 ? ['(its log is empty)'] : lines.map((line) => this.#masked(line, values));
    } catch (error) {
      if (signal.aborted) throw error;
      return [`(its log cannot be read: ${messageOf(error)})`];
    }
  }

  #masked(line: string, values: readonly string[]): string {
    let text = line;
    for (const value of values) text = text.replaceAll(value, () => this.#redactor.value(value));
    return text;
  }

  /** The values of all Secrets that a pod names, the longest first, also in base64. */
  async #valuesOf(pod: UnknownObject, namespace: string): Promise<readonly string[]> {
    const values = await Promise.all(
      [...secretsOf(pod)].filter((name) => name !== undefined).map((name) => this.#secret(namespace, name)),
    );
    return [...new Set(values.flat())].sort((a, b) => b.length - a.length);
  }

  #secret(namespace: string, name: string): Promise<readonly string[]> {
    const key = `${namespace}/${name}`;
    const known = this.#secrets.get(key) ?? this.#readSecret(namespace, name);
    this.#secrets.set(key, known);
    return known;
  }

  async #readSecret(namespace: string, name: string): Promise<readonly string[]> {
    const { client, signal, notice } = this.#session;
    try {
      const secret = await client.resource<UnknownObject>(SECRETS, { namespace }).get(name, { signal });
      return Object.values(isJsonMap(secret.data) ? secret.data : {}).flatMap((value) => formsOf(String(value)));
    } catch (error) {
      notice(`the values of secret/${name} are not marked in log lines: ${messageOf(error)}`);
      return [];
    }
  }
}

/** Shorter texts are words such as yes and no. */
const SHORTEST = 4;

/** A value, its lines, and its base64. */
function formsOf(base64: string): string[] {
  const plain = Buffer.from(base64, 'base64').toString('utf8');
  return [base64, withoutEnd(base64, '='), plain, ...plain.split(/\r?\n/)].filter((form) => form.length >= SHORTEST);
}

/**
 * Whether the log of a failure is that of the run before the present one; undefined if it is of an older one.
 * Source: pkg/kubelet/kubelet_pods.go, validateContainerLogStatus.
 */
function isPrevious(pod: UnknownObject, { container, finishedAt }: FailedContainer): boolean | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = (pod.status ?? {}) as {
    [list: string]: { name?: string; state?: State; lastState?: State }[];
  };
  const status = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
  if (status?.state?.terminated?.finishedAt === finishedAt) return false;
  return status?.lastState?.terminated?.finishedAt === finishedAt ? true : undefined;
}

interface State {
  readonly terminated?: { readonly finishedAt?: string };
}
