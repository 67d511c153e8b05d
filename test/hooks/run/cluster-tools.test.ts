import { expect, it } from 'vitest';
import { needsCluster, toolInLine, toolInScript } from '../../../src/hooks/run/cluster-tools.ts';
import { compileExecTemplate } from '../../../src/hooks/run/exec-template.ts';

it.each([
  ['kubectl get pods', 'kubectl'],
  ['/usr/bin/kubectl get pods', 'kubectl'],
  ['env A=1 nice -n 5 oc get pods', 'oc'],
  ['timeout 5 helm ls', 'helm'],
  ['env KUBECONFIG=/tmp/k kubectl get pods', undefined],
  ['kubectl --kubeconfig /tmp/k get pods', undefined],
  ['kubectl get pods --server=https://other', undefined],
  ['kubectl -s https://other get pods', undefined],
  ['argocd app list', undefined],
  ['echo kubectl get pods', undefined],
])('%s needs %s', (line, tool) => {
  expect(needsCluster(line, compileExecTemplate(line).program)).toBe(tool);
});

it.each([
  ['true; kubectl get pods', 'kubectl'],
  ['a && helm ls', 'helm'],
  ['v=$(kubectl get pods)', 'kubectl'],
  ['export KUBECONFIG=/tmp/k; kubectl get pods', undefined],
  ['echo say kubectl get', undefined],
])('a line for a shell: %s needs %s', (line, tool) => {
  expect(needsCluster(line, undefined)).toBe(tool);
});

it('finds a tool in any word of a line, and as a command of a script', () => {
  expect(toolInLine("sh -c 'kubectl get pods'")).toBe('kubectl');
  expect(toolInLine('echo my-kubectl')).toBeUndefined();
  expect(toolInLine('sh -c "true; kubectl get pods"')).toBe('kubectl');
  expect(toolInScript('# kubectl get\nif true; then helm ls; fi\n')).toBe('helm');
  expect(toolInScript('# kubectl get\n')).toBeUndefined();
});
