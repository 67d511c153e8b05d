import { expect, it } from 'vitest';
import type { HealthFinding } from '../../src/doctor/finding.ts';
import { FindingPrinter, reportAsJson } from '../../src/doctor/report.ts';
import { plainPainter } from '../../src/output/painter.ts';

const FINDINGS: readonly HealthFinding[] = [
  { id: 'login.kind', status: 'ok', found: 'token', ms: 1 },
  { id: 'server.namespace', of: 'shop', status: 'warning', found: 'it is gone', fix: 'make it', ms: 2 },
  { id: 'type.access', of: 'pods', status: 'problem', found: 'you may\nnot', fix: 'ask', ms: 3 },
  { id: 'type.list', of: 'pods', status: 'skipped', found: 'type.access failed', ms: 0 },
  { id: 'type.list', of: 'nodes', status: 'ok', found: 'fine', ms: 4 },
];

it('prints a heading for each group and type, aligned lines, and fixes below them', () => {
  const printer = new FindingPrinter(plainPainter, { wide: false });
  expect(FINDINGS.map((each) => printer.finding(each)).join('') + printer.summary(FINDINGS)).toBe(`Login
  ✓ kind              token

Server
  ! namespace         shop: it is gone
                      fix: make it

Type pods
  ✗ access            you may
  not
                      fix: ask
  - list              skipped: type.access failed

Type nodes
  ✓ list              fine

2 ok, 1 warning, 1 problem, 1 skipped
`);
});

it('on a terminal what was found is wrapped below itself, and a fix stays one line that can be copied', () => {
  const printer = new FindingPrinter(plainPainter, { wide: false, columns: 50 });
  const finding: HealthFinding = {
    id: 'kubeconfig.context',
    status: 'warning',
    found: 'cluster "sandbox", user "sandbox"\nserver https://a-long-name-without-a-blank.example.com:6443',
    fix: 'kubectl config set-context --current --namespace=shop',
    ms: 1,
  };
  expect(printer.finding(finding)).toBe(`Kubeconfig
  ! context           cluster "sandbox", user
                      "sandbox"
                      server
                      https://a-long-name-without-a-blank.example.com:6443
                      fix: kubectl config set-context --current --namespace=shop
`);
});

it('wide adds ids and times', () => {
  const printer = new FindingPrinter(plainPainter, { wide: true });
  const [first] = FINDINGS;
  expect(first && printer.finding(first)).toContain('token  [login.kind, 1 ms]\n');
});

it('as JSON every field is there, null where there is nothing, and an address has no password', () => {
  const server = 'https://ann:hush@127.0.0.1:1';
  const report = JSON.parse(reportAsJson({ server, context: undefined, namespaces: [''], findings: FINDINGS }));
  expect(report).toMatchObject({
    server: 'https://127.0.0.1:1',
    context: null,
    namespaces: [''],
    healthy: false,
    counts: { ok: 2, warning: 1, problem: 1, skipped: 1 },
  });
  expect(report.findings[0]).toEqual({ id: 'login.kind', of: null, status: 'ok', found: 'token', fix: null, ms: 1 });
  const healthy = JSON.parse(
    reportAsJson({ server: undefined, context: 'c', namespaces: [], findings: FINDINGS.slice(0, 2) }),
  );
  expect(healthy).toMatchObject({ server: null, context: 'c', healthy: true });
});
