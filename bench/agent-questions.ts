import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { tokensOf as estimated } from '../src/agents/token-count.ts';
import { node, type Programs } from './programs.ts';
import { median } from './results.ts';

/** What one question took. */
export interface QuestionRow {
  readonly server: string;
  readonly question: string;
  /** The first time, from the question to its answer. */
  readonly firstMs: number;
  /** Asked again. */
  readonly medianMs: number | undefined;
  readonly mostMs: number | undefined;
  /** Of the server, for each time that it was asked again. */
  readonly cpuMs: number | undefined;
  /** Of all answers that the question needs. */
  readonly tokens: number;
  /** Requests to the API server for one time that it was asked again. */
  readonly requests: number | undefined;
}

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** One pod of the cluster, by which questions about one object are asked. */
interface Sample {
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  readonly app: string;
}

/** A server of the protocol, and what an agent calls there for each question. */
export interface AskedServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly kubeconfig: string;
  readonly holdsPods: boolean;
  readonly sample: () => Promise<Sample>;
  questions(sample: Sample): Readonly<Record<string, readonly Call[]>>;
}

const FIELDS = '{.metadata.namespace} {.metadata.name} {.spec.nodeName} {.metadata.labels.app}';

/** A pod that a Deployment has made. */
async function sampleOf({ cli }: Programs, kubeconfig: string): Promise<Sample> {
  const { command, args } = node(cli, 'query', 'pods', '-A', '--limit', 1, '--no-serve', '--kubeconfig', kubeconfig, '-o', `jsonpath=${FIELDS}`); // biome-ignore format: one command
  const { stdout } = await promisify(execFile)(command, [...args]);
  const [namespace = '', pod = '', of = '', app = ''] = stdout.split(' ');
  return { namespace, pod, node: of, app };
}

/** Ours. */
export function ours(programs: Programs, kubeconfig: string): AskedServer {
  const { command, args } = node(programs.cli, 'mcp', 'pods', '-A', '--kubeconfig', kubeconfig);
  return {
    command,
    args,
    kubeconfig,
    holdsPods: true,
    sample: () => sampleOf(programs, kubeconfig),
    questions: ({ namespace, pod, node: on }) => ({
      'how many pods are there': [['count', { type: 'pods' }]],
      'how many of one namespace': [['count', { type: 'pods', namespace }]],
      'how many are not Running': [['count', { type: 'pods', where: ['STATUS != "Running"'] }]],
      'how many were restarted': [['count', { type: 'pods', filter: ['object.status.containerStatuses.exists(c, c.restartCount > 0)'] }]], // biome-ignore format: one row
      'how many on each node': [['values', { type: 'pods', of: 'node' }]],
      'how many on each node, of one namespace': [['values', { type: 'pods', of: 'node', namespace }]],
      'how many of each phase': [['group', { type: 'pods', by: '.status.phase' }]],
      'restarts of each app': [['group', { type: 'pods', by: '.metadata.labels.app', sum: ['.status.containerStatuses[*].restartCount'] }]], // biome-ignore format: one row
      'list the pods': [['query', { type: 'pods' }]],
      'list those that are not Running': [['query', { type: 'pods', where: ['STATUS != "Running"'] }]],
      'list those of one node': [['query', { type: 'pods', eq: [`node=${on}`] }]],
      'the ten youngest': [['query', { type: 'pods', sort: '-.metadata.creationTimestamp', limit: 10 }]],
      'one pod': [['get', { type: 'pod', name: pod, namespace }]],
      'one field of it': [['get', { type: 'pod', name: pod, namespace, paths: ['.status.phase'] }]],
      'what owns a pod': [['tree', { type: `pod/${pod}`, namespace }]],
      'what changed': [['changes', { type: 'pods', namespace, since: '1m' }]],
      'wait for what is so already': [['wait', { type: `pod/${pod}`, namespace, for: ['condition=Ready'], timeout: '5s' }]], // biome-ignore format: one row
      'which types there are': [['types', {}]],
      'how fresh is it': [['explain', { type: 'pods' }]],
    }),
  };
}

/** kubernetes-mcp-server: what comes nearest. It counts, sorts, waits for and follows nothing: an agent has to. */
export function peer(programs: Programs, file: string, kubeconfig: string): AskedServer {
  const all: Call = ['pods_list', {}];
  return {
    command: file,
    args: ['--kubeconfig', kubeconfig, '--read-only', '--log-file', '/dev/null'],
    kubeconfig,
    holdsPods: false,
    sample: () => sampleOf(programs, kubeconfig),
    questions: ({ namespace, pod, node: on, app }) => ({
      'how many pods are there': [all],
      'how many of one namespace': [['pods_list_in_namespace', { namespace }]],
      'how many are not Running': [['pods_list', { fieldSelector: 'status.phase!=Running' }]],
      'how many on each node': [all],
      'list those of one node': [['pods_list', { fieldSelector: `spec.nodeName=${on}` }]],
      'the ten youngest': [all],
      'one pod': [['pods_get', { namespace, name: pod }]],
      'what owns a pod': [
        ['pods_get', { namespace, name: pod }],
        ['resources_list', { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace, labelSelector: `app=${app}` }],
        ['resources_list', { apiVersion: 'apps/v1', kind: 'Deployment', namespace, labelSelector: `app=${app}` }],
      ],
      'what changed': [['events_list', { namespace }]],
      'wait for what is so already': [['pods_get', { namespace, name: pod }]],
    }),
  };
}

/** The questions that both servers are asked. */
export const SHARED = Object.keys(
  peer({} as Programs, '', '').questions({ namespace: '', pod: '', node: '', app: '' }),
);

/** Of a question that is not answered. */
const UNKNOWN = { medianMs: undefined, mostMs: undefined, cpuMs: undefined, tokens: Number.NaN, requests: undefined };

/** Clock ticks of Linux, ms. */
const TICK_MS = 10;

/** The CPU time of a process so far; undefined where the system does not say it. */
function cpuMsOf(pid: number): number | undefined {
  try {
    // the program's name is in brackets before
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return undefined;
  }
}

async function untilSynced(ask: () => Promise<number>): Promise<void> {
  for (let i = 0; i < MOST_TRIES; i++)
    try {
      await ask();
      return;
    } catch (error) {
      if (i === MOST_TRIES - 1) throw error;
    }
}

const MOST_TRIES = 10;

const LONGEST = { timeout: 300_000, maxTotalTimeout: 300_000 };

/** Asks all questions, each again and again. */
export async function askedRows(
  server: string,
  asked: AskedServer,
  {
    rounds,
    requests = () => undefined,
    whenSynced,
    only,
    tokensOf = estimated,
  }: {
    readonly rounds: number;
    /** The questions that are asked. Default: all. */
    readonly only?: readonly string[] | undefined;
    readonly tokensOf?: ((text: string) => number) | undefined;
    readonly requests?: (() => number | undefined) | undefined;
    readonly whenSynced?: (() => void) | undefined;
  },
): Promise<QuestionRow[]> {
  const sample = await asked.sample();
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-agent-'));
  const transport = new StdioClientTransport({
    command: asked.command,
    args: [...asked.args],
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_RUNTIME_DIR: folder, KUBECONFIG: asked.kubeconfig },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  const pid = transport.pid as number;
  const ask = async (calls: readonly Call[]) => {
    let tokens = 0;
    for (const [name, args] of calls) {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } }, undefined, LONGEST);
      const text = (content as { text?: string }[]).map((part) => part.text ?? '').join('\n');
      if (isError) throw new Error(text);
      tokens += tokensOf(text);
    }
    return tokens;
  };
  const rows: QuestionRow[] = [];
  const say = (text: string) => console.error(`${server}: ${text}, CPU so far ${cpuMsOf(pid) ?? '–'} ms`);
  try {
    if (asked.holdsPods) await untilSynced(() => ask([['count', { type: 'pods' }]]));
    whenSynced?.();
    say('synced');
    for (const [question, calls] of Object.entries(asked.questions(sample))) {
      if (only && !only.includes(question)) continue;
      say(question);
      const from = performance.now();
      const tokens = await ask(calls).catch((error: Error) => error.message);
      const firstMs = performance.now() - from;
      if (typeof tokens === 'string') {
        rows.push({
          server,
          question: `${question}: ${tokens.slice(0, 60).replaceAll('\n', ' ')}`,
          firstMs,
          ...UNKNOWN,
        });
        continue;
      }
      const times: number[] = [];
      const [cpu, requested] = [cpuMsOf(pid), requests()];
      const many = asked.holdsPods ? rounds : Math.min(rounds, 3);
      for (let i = 0; i < many; i++) {
        const at = performance.now();
        await ask(calls);
        times.push(performance.now() - at);
      }
      const [cpuNow, requestedNow] = [cpuMsOf(pid), requests()];
      rows.push({
        server,
        question,
        firstMs,
        medianMs: median(times),
        mostMs: Math.max(...times),
        cpuMs: cpu === undefined || cpuNow === undefined ? undefined : (cpuNow - cpu) / many,
        tokens,
        requests: requested === undefined || requestedNow === undefined ? undefined : (requestedNow - requested) / many,
      });
    }
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}
