// node bench/agents.ts [--pods N] [--rate N] [--rounds N] [--server real] [--peer FILE [--tokenizer FILE]] [--root DIR]: what an agent's
// questions take at a built `mcp` that holds all pods of a cluster: time, CPU and tokens, the first time and again, with
// objects that change and without. --peer: the same questions to another server of the protocol, kubernetes-mcp-server.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { agentCluster } from './agent-cluster.ts';
import { askedRows, ours, peer, type QuestionRow, SHARED } from './agent-questions.ts';
import { countOf, orEnd, serverOf } from './arguments.ts';
import { ownCluster } from './own-cluster.ts';
import { findPrograms } from './programs.ts';
import { textOf } from './text-table.ts';

const USAGE = `  --pods N       pods of the bench's own server (50000)
  --rate N       changes a second in the second half, without --peer (50)
  --rounds N     times that each question is asked again (20)
  --server real  the server of KUBECONFIG, which is only read; nothing changes there by itself
  --peer FILE    the program kubernetes-mcp-server, built, to be asked too, on a sandbox
  --tokenizer FILE  a module with a function countTokens, such as that of gpt-tokenizer; else the program's own estimate
  --root DIR     the checkout whose build is asked (this one)`;

const { pods, rate, rounds, server, peerFile, tokenizer, root } = orEnd(() => {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      pods: { ...text, default: '50000' },
      rate: { ...text, default: '50' },
      rounds: { ...text, default: '20' },
      server: { ...text, default: 'own' },
      peer: text,
      tokenizer: text,
      root: text,
    },
  });
  return {
    pods: countOf('--pods', values.pods),
    rate: countOf('--rate', values.rate),
    rounds: countOf('--rounds', values.rounds),
    server: serverOf(values.server),
    peerFile: values.peer,
    tokenizer: values.tokenizer,
    root: values.root,
  };
}, USAGE);

const tokensOf = tokenizer === undefined ? undefined : ((await import(path.resolve(tokenizer))) as { countTokens: (text: string) => number }).countTokens; // biome-ignore format: one import
const programs = findPrograms({ root, peers: false });
const rows: QuestionRow[] = [];
if (server === 'real') {
  const kubeconfig = process.env.KUBECONFIG ?? '';
  readFileSync(kubeconfig); // says what is missing
  rows.push(...(await askedRows('quiet', ours(programs, kubeconfig), { rounds })));
  if (peerFile) rows.push(...(await askedRows('peer', peer(programs, peerFile, kubeconfig), { rounds })));
} else if (peerFile) {
  await using cluster = await agentCluster(programs, { pods, rate: 0 });
  const { kubeconfig, requests } = cluster;
  const asking = { rounds, requests, tokensOf, only: SHARED };
  rows.push(...(await askedRows('ours', ours(programs, kubeconfig), asking)));
  rows.push(...(await askedRows('peer', peer(programs, peerFile, kubeconfig), asking)));
} else {
  await using cluster = await ownCluster(pods);
  rows.push(...(await askedRows('quiet', ours(programs, cluster.kubeconfig), { rounds })));
  const name = `${rate} changes a second`;
  rows.push(
    ...(await askedRows(name, ours(programs, cluster.kubeconfig), { rounds, whenSynced: () => cluster.change(rate) })),
  );
}
const ms = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(1));
console.log(
  textOf({
    title: `questions of an agent, asked again ${rounds} times, load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    head: ['server', 'question', 'first, ms', 'again, ms', 'most, ms', 'CPU, ms', 'tokens', 'requests'],
    rows: rows.map((row) => [
      row.server,
      row.question,
      ms(row.firstMs),
      ms(row.medianMs),
      ms(row.mostMs),
      ms(row.cpuMs),
      String(row.tokens),
      row.requests === undefined ? '–' : String(row.requests),
    ]),
  }),
);
