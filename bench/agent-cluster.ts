import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '../src/kit/certificate.ts';
import { node, type Programs } from './programs.ts';

/** A sandbox with a fleet of pods in a process of its own. */
export interface AgentCluster extends AsyncDisposable {
  readonly kubeconfig: string;
  /** The requests that came so far. */
  requests(): number;
}

/** Starts it. `rate`: changes a second. */
export async function agentCluster(
  { cli }: Programs,
  { pods, rate }: { readonly pods: number; readonly rate: number },
): Promise<AgentCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-agents-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const { command, args } = node(cli, 'sandbox', '--scenario', 'fleet', '--pods', pods, '--rate', `${rate}/s`, '-q', '--kubeconfig', kubeconfig); // biome-ignore format: one command
  const env = { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder };
  const child = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await firstWords(child);
  const text = readFileSync(kubeconfig, 'utf8');
  const [server = ''] = /https:\/\/\S+/.exec(text) ?? [];
  const [, ca = ''] = /certificate-authority-data: (\S+)/.exec(text) ?? [];
  const counting = await countingProxy(server, Buffer.from(ca, 'base64'));
  const ownCa = Buffer.from(counting.ca).toString('base64');
  writeFileSync(kubeconfig, text.replaceAll(server, counting.url).replaceAll(ca, ownCa));
  return {
    kubeconfig,
    requests: counting.requests,
    async [Symbol.asyncDispose]() {
      counting.close();
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const firstWords = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve()).resume();
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });

/** Passes requests on, and counts them. Over TLS: client-go sends no token over plain HTTP. */
async function countingProxy(to: string, ca: Buffer) {
  let count = 0;
  const agent = new https.Agent({ keepAlive: true, ca });
  const { cert, key } = await makeCertificate('127.0.0.1', Date.now());
  const proxy = https.createServer({ cert, key }, (request, response) => {
    count++;
    const { method, headers, url } = request;
    const passed = https.request(new URL(url ?? '/', to), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    ca: cert,
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests: () => count,
    close() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
    },
  };
}
