import { expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/controller/hooks/exec-template.ts';
import type { HookRequest } from '../../../src/controller/hooks/hook.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

function request(object: UnknownObject | null, oldObject?: UnknownObject): HookRequest {
  return {
    version: 1,
    key: 'shop/web',
    gvr: 'v1/pods',
    object,
    ...(oldObject ? { oldObject } : {}),
    changed: [],
    causes: [],
    attempt: 1,
    snapshots: {},
  };
}

const web: UnknownObject = { metadata: { name: 'web', namespace: 'shop', labels: { 'app.io/tier': "it's $(here)", flag: '--force' } } };
const args = (line: string, object: UnknownObject = web) => compileExecTemplate(line).args(request(object));

it.each([
  ['kubectl annotate pod {{.metadata.name}} seen=yes', ['annotate', 'pod', 'web', 'seen=yes']],
  ['run -n {{ .metadata.namespace }} {{.metadata.namespace}}/{{.metadata.name}}', ['-n', 'shop', 'shop/web']],
  [`run 'two words' "a \\"quoted\\" {{.metadata.name}}" back\\ slash ''`, ['two words', 'a "quoted" web', 'back slash', '']],
  [`run {{.metadata.labels.app\\.io/tier}}`, ["it's $(here)"]],
  [`run {{.metadata.labels['app.io/tier']}}`, ["it's $(here)"]],
  ['run x{{.metadata.labels.flag}}', ['x--force']],
  ['run -- {{.metadata.labels.flag}}', ['--', '--force']],
  ['run {{.spec.absent}}', ['']],
])('%s', (line, expected) => {
  expect(args(line)).toEqual(expected);
});

it('a value never becomes an option', () => {
  expect(() => args('run {{.metadata.labels.flag}}')).toThrow(
    expect.objectContaining({ message: '"--force" would be read as an option', hint: 'put -- before the placeholder' }),
  );
});

it('for a shell, what is filled in is one quoted word whatever it holds', () => {
  const { command, args } = compileExecTemplate(`echo {{.metadata.labels['app.io/tier']}} | wc`, { shell: true });
  expect(command).toBe('/bin/sh');
  expect(args(request(web))).toEqual(['-c', `echo 'it'\\''s $(here)' | wc`]);
});

it('of an object that is gone, the last known state is filled in', () => {
  expect(compileExecTemplate('run {{.metadata.name}}').args(request(null, web))).toEqual(['web']);
});

it.each([
  ['', 'the command to run is empty'],
  ['   ', 'the command to run is empty'],
  [`run 'open`, 'a quote is not closed'],
  ['run {{.metadata.name', 'a placeholder is not closed'],
  ['{{.metadata.name}} x', 'the command itself cannot be a placeholder'],
  ['run {{.metadata[}}', 'unterminated'],
])('refuses %j', (line, message) => {
  expect(() => compileExecTemplate(line)).toThrow(message);
});
