// node bench/agent-conformance.ts [--root DIR]: runs the protocol's own conformance suite, @modelcontextprotocol/conformance,
// against a built `serve --listen`. Its scenarios name tools and resources of the suite's own test server: those that have
// a counterpart here are asked of that, and the others are listed with the reason. Ends with 1 if a scenario that has to
// pass fails. npx fetches the suite.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { agentCluster } from './agent-cluster.ts';
import { findPrograms, node } from './programs.ts';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';

/** The suite's names, and what is here in their place. */
const COUNTERPARTS: readonly (readonly [theirs: string, ours: string])[] = [
  ['test_simple_text', 'types'],
  ['"type":"ref/prompt","name":"test_prompt_with_arguments"', '"type":"ref/resource","uri":"kube:///{+type}"'],
  ['test_error_handling', 'get'],
  ['test://static-text', 'kube:///v1/pods'],
  ['test://watched-resource', 'kube:///v1/pods'],
  ['test://template/123/data', 'kube:///v1/pods?paths=object.metadata.name%2B%22-123%22'],
];

const NO_PROMPTS = 'there are no prompts';
const NO_QUESTIONS = 'asks the client for nothing';
const TEXT_ONLY = 'answers are text';

/** The scenarios that cannot pass, and why. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  'tools-call-image': TEXT_ONLY,
  'tools-call-audio': TEXT_ONLY,
  'tools-call-embedded-resource': TEXT_ONLY,
  'tools-call-mixed-content': TEXT_ONLY,
  'resources-read-binary': TEXT_ONLY,
  'tools-call-with-logging': 'a call writes one line to the log, when it ends',
  'tools-call-with-progress': 'only a wait has progress, and every wait has arguments',
  'tools-call-sampling': NO_QUESTIONS,
  'tools-call-elicitation': NO_QUESTIONS,
  'elicitation-sep1034-defaults': NO_QUESTIONS,
  'elicitation-sep1330-enums': NO_QUESTIONS,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
};

const replaced = (text: string, [from, to]: readonly [number, number]) =>
  COUNTERPARTS.reduce((all, pair) => all.replaceAll(pair[from] as string, pair[to] as string), text);

/** Passes requests on with the token, and with our names in place of those of the suite. */
async function translatingProxy(to: URL, token: string) {
  const proxy = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = replaced(Buffer.concat(chunks).toString(), [0, 1]);
    const { port } = proxy.address() as AddressInfo;
    const here = (text: string | undefined) => text?.replace(`:${port}`, `:${to.port}`);
    const { host, origin, 'content-length': _, ...rest } = request.headers;
    const headers = { ...rest, host: here(host), ...(origin && { origin: here(origin) }), authorization: `Bearer ${token}`, 'content-length': String(Buffer.byteLength(body)) }; // biome-ignore format: one record
    const passed = http.request(new URL(request.url ?? '/', to), { method: request.method, headers }, (answer) => {
      const { 'content-length': __, ...own } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, own);
      response.flushHeaders();
      answer.setEncoding('utf8').on('data', (text: string) => void response.write(replaced(text, [1, 0])));
      answer.on('end', () => response.end());
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

const { root } = parseArgs({ options: { root: { type: 'string' } } }).values;
const programs = findPrograms({ root, peers: false });
const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
await using cluster = await agentCluster(programs, { pods: 100, rate: 5 });
const { command, args } = node(programs.cli, 'serve', 'pods', '-A', '--listen', '127.0.0.1:0', '--kubeconfig', cluster.kubeconfig); // biome-ignore format: one command
const serve = spawn(command, [...args], { env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder } });
let said = '';
await new Promise<void>((resolve, reject) => {
  serve.stderr.on('data', (text) => {
    said += text;
    if (said.includes('ready: ')) resolve();
  });
  serve.once('exit', () => reject(new Error(said)));
});
const [, address = '', file = ''] = /listening on (http:\S+); .* is in (\S+)/.exec(said) ?? [];
const proxy = await translatingProxy(new URL(address), readFileSync(file, 'utf8').trim());
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
let report = '';
await new Promise<void>((resolve) => {
  const suite = spawn('npx', ['--yes', SUITE, 'server', '--url', url], { cwd: folder });
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (text) => (report += text));
  suite.once('close', () => resolve());
});
proxy.close();
proxy.closeAllConnections();
serve.kill('SIGTERM');
rmSync(folder, { recursive: true, force: true });

const results = [...report.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed$/gm)];
if (results.length === 0) throw new Error(`the suite did not run:\n${report.slice(-2000)}`);
const rows = results.map(([, mark, name = '']) => ({ name, passes: mark === '✓', reason: NOT_OFFERED[name] }));
for (const { name, passes, reason } of rows)
  console.log(
    `${passes ? 'passes      ' : reason ? 'not offered ' : 'FAILS       '} ${name}${!passes && reason ? `: ${reason}` : ''}`,
  );
const failed = rows.filter(({ passes, reason }) => !passes && reason === undefined);
const passing = rows.filter(({ passes }) => passes).length;
console.log(
  `${rows.length} scenarios: ${passing} pass, ${rows.length - passing - failed.length} are not offered, ${failed.length} fail`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
