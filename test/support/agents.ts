import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { AgentCaches } from '../../src/agents/agent-caches.ts';
import { AgentDoor } from '../../src/agents/agent-door.ts';
import { loadMcpSdk } from '../../src/agents/mcp-sdk.ts';
import { RecentChanges } from '../../src/agents/recent-changes.ts';
import { pastHere } from '../../src/agents/recorded-tools.ts';
import { valuesOf } from '../../src/cli/args/flag.ts';
import { mcpFlags } from '../../src/cli/args/mcp-flags.ts';
import { CachedTypes } from '../../src/cli/serve/cached-types.ts';
import { openSession } from '../../src/cli/session/session.ts';
import { TextSink } from '../../src/cli/terminal/io.ts';
import { createPrometheusMetrics } from '../../src/ops/prometheus.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { WatchCaches } from '../../src/serve/watch-cache/watch-caches.ts';
import { Redactor } from '../../src/stream/redact.ts';

/** What an agent reads as the answer of a tool. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** The SDK's own client, and what tests ask it. */
export class Agent {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async ask(name: string, args: Record<string, unknown>, timeout = 60_000): Promise<ToolAnswer> {
    const { content, isError } = await this.client.callTool({ name, arguments: args }, undefined, { timeout });
    return { text: (content as { text: string }[])[0]?.text ?? '', isError: isError === true };
  }

  /** The text of an answer that is no error. */
  async told(name: string, args: Record<string, unknown>): Promise<string> {
    const { text, isError } = await this.ask(name, args);
    if (isError) throw new Error(text);
    return text;
  }
}

/** A client that is connected by nothing else than its transport. */
export async function agentOn(transport: Parameters<Client['connect']>[0]): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return new Agent(client);
}

/** The caches and the door of `mcp` over a sandbox, in this process. */
export async function agentsOf(
  sandbox: Sandbox,
  { recording, longestCallMs }: { readonly recording?: string; readonly longestCallMs?: number } = {},
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'agents-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, sandbox.kubeconfig(), { mode: 0o600 });
  const sink = () => new TextSink(new PassThrough().resume());
  const io = { stdout: sink(), stderr: sink(), env: { KUBECONFIG: file, XDG_RUNTIME_DIR: folder } };
  const controller = new AbortController();
  const edges = { io, signal: controller.signal, atOnce: new Set<() => void>(), name: 'mcp' };
  const session = await openSession(valuesOf(mcpFlags, new Map()), edges as never);
  const metrics = await createPrometheusMetrics();
  const watchCaches = new WatchCaches({ clock: session.clock });
  const types = new CachedTypes({ session, namespaces: undefined, keepManagedFields: true, metrics, caches: watchCaches, declared: [] }); // biome-ignore format: one call
  const caches = new AgentCaches({ session, types, redactor: new Redactor(), recording });
  const changes = new RecentChanges(caches);
  const lines: string[] = [];
  const door = new AgentDoor({ sdk: loadMcpSdk(), caches, changes, log: { note: (line) => void lines.push(line) }, past: recording === undefined ? undefined : pastHere({ caches, changes }), longestCallMs }); // biome-ignore format: one call
  return {
    caches,
    /** What the user can read of what was asked. */
    lines,
    async agent(): Promise<Agent> {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await door.open('agent').connect(ours);
      return agentOn(theirs);
    },
    async [Symbol.asyncDispose]() {
      changes[Symbol.dispose]();
      controller.abort(new Error('the test ends'));
      await types.ended();
      types[Symbol.dispose]();
      await session[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
