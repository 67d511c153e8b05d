import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Agent, agentOn } from './agents.ts';
import { Cli } from './cli.ts';
import { OWN_CACHE } from './own-cache.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

/** An agent of the built program, and the process that answers it. */
export interface ProgramAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly pid: number;
  stderr(): string;
  /** Closes its stdin, as a client that ends, and waits for its exit code. */
  ended(): Promise<number | null>;
}

/** An agent over stdin and stdout, as a client's configuration starts it. */
export async function stdioAgent(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  run = RUN,
): Promise<ProgramAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [run, ...args],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', XDG_CACHE_HOME: OWN_CACHE, ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (text) => (stderr += text));
  const agent = await agentOn(transport);
  const child = (transport as unknown as { readonly _process: ChildProcess })._process;
  return {
    agent,
    pid: transport.pid as number,
    stderr: () => stderr,
    async ended() {
      const exited = once(child, 'exit');
      child.stdin?.end();
      const [code] = (await exited) as [number | null];
      await agent.client.close();
      return code;
    },
    [Symbol.asyncDispose]: () => agent.client.close(),
  };
}

/** A `serve` that agents ask over HTTP. */
export class ListeningServe implements AsyncDisposable {
  readonly cli: Cli;
  readonly url: URL;
  readonly token: string;

  private constructor(cli: Cli) {
    this.cli = cli;
    const [, address = '', file = ''] = /listening on (http:\S+); .* is in (\S+)/.exec(cli.stderr) ?? [];
    this.url = new URL(`${address}/mcp`);
    this.token = readFileSync(file, 'utf8').trim();
  }

  static async start(words: readonly string[], env: Readonly<Record<string, string>>, listen = '127.0.0.1:0') {
    const cli = new Cli(['serve', ...words, '--listen', listen], { env });
    await cli.until((c) => c.stderr.includes('ready: '), 'the serve');
    return new ListeningServe(cli);
  }

  get pid(): number {
    return this.cli.child.pid as number;
  }

  /** A transport of the SDK's own client. */
  transport(headers: Readonly<Record<string, string>> = { authorization: `Bearer ${this.token}` }) {
    return new StreamableHTTPClientTransport(this.url, { requestInit: { headers } });
  }

  async agent(): Promise<ProgramAgent> {
    const agent = await agentOn(this.transport() as never);
    return {
      agent,
      pid: this.pid,
      stderr: () => this.cli.stderr,
      ended: async () => null,
      [Symbol.asyncDispose]: () => agent.client.close(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
  }
}
