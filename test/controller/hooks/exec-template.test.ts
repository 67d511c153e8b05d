import { expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/controller/hooks/exec-template.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { request, web } from '../../support/hook-request.ts';

const args = (line: string, object: UnknownObject = web) => compileExecTemplate(line).args(request(object));

it.each([
  ['kubectl annotate pod {{.metadata.name}} seen=yes', ['annotate', 'pod', 'web', 'seen=yes']],
  ['run -n {{ .metadata.namespace }} {{.metadata.namespace}}/{{.metadata.name}}', ['-n', 'shop', 'shop/web']],
  [
    `run 'two words' "a \\"quoted\\" {{.metadata.name}}" back\\ slash ''`,
    ['two words', 'a "quoted" web', 'back slash', ''],
  ],
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

it.each([
  'run {{.metadata.labels.absent}}{{.metadata.labels.flag}}',
  "run ''{{.metadata.labels.flag}}",
  'run {{.metadata.labels.absent}}{{.metadata.labels.absent}}{{.metadata.labels.flag}}/x',
  'kubectl exec web -- rm {{.metadata.labels.flag}}',
])('a value does not make a word an option: %s', (line) => {
  expect(() => args(line)).toThrow('would be read as an option');
  expect(() => compileExecTemplate(line, { shell: true }).args(request(web))).toThrow('would be read as an option');
});

it.each(['run -{{.metadata.name}}', 'run --{{.metadata.name}}=x', 'run --on{{.metadata.name}}'])(
  'a value is never in the name of an option: %s',
  (line) => {
    for (const shell of [false, true])
      expect(() => compileExecTemplate(line, { shell })).toThrow('in the name of an option');
  },
);

it('a value that no argument can contain is refused, and not shown', () => {
  const template = compileExecTemplate('run {{.metadata.name}}');
  const refused = expect.objectContaining({
    message: 'the value of {{.metadata.name}} contains a NUL, which no argument can',
  });
  expect(() => template.args(request({ metadata: { name: 'hidden\0' } }))).toThrow(refused);
});

it('the values of a deleted object come from its last known state', () => {
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
