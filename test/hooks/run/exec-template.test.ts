import { describe, expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/hooks/run/exec-template.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { NOTE, note, request, web } from '../../support/hook-request.ts';

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
  ['run -- {{.metadata.labels.flag}}', ['--', '--force']],
  ['run {{.spec.absent | default ""}}', ['']],
  ["run x{{ .spec.absent|default 'no one' }}y", ['xno oney']],
  ['run "{{.spec.absent | default none}}"', ['none']],
  ['run {{.metadata.name | default "none"}}', ['web']],
  ['run {{.spec.list[7] | default "none"}}', ['none']],
])('%s', (line, expected) => {
  expect(args(line)).toEqual(expected);
});

it('a value never becomes an option', () => {
  expect(() => args('run {{.metadata.labels.flag}}')).toThrow(
    expect.objectContaining({
      code: 'terminal',
      message: 'terminal error: "--force" would be read as an option',
      hint: 'put -- before the placeholder',
    }),
  );
});

it.each([
  'run {{.metadata.labels.absent | default ""}}{{.metadata.labels.flag}}',
  "run ''{{.metadata.labels.flag}}",
  'run {{.metadata.labels.absent | default ""}}{{.spec.absent | default ""}}{{.metadata.labels.flag}}/x',
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

/** Texts of which one would be a second part, an option, a path or a setting within a word. */
const NOT_PLAIN = [
  '',
  ' ',
  'a b',
  'a\nb',
  'a\n',
  '--force',
  '-x',
  '../x',
  '/etc',
  '.x',
  'a,b=c',
  'a;b',
  '$(id)',
  'a%2e',
  'é',
  "a'b",
];

describe.each([
  `kubectl annotate pod web "note=${NOTE}"`,
  `env A=${NOTE} ./report`,
  `curl --data=${NOTE} http://localhost`,
  `touch /tmp/${NOTE}`,
  `touch "x ${NOTE}"`,
  `touch {{.metadata.name}}-${NOTE}`,
  `touch -- {{.metadata.name}}-${NOTE}`,
])('a value within a word: %s', (line) => {
  const { args } = compileExecTemplate(line);

  it.each(['a', '7', 'nginx-5d4', 'reg.io:5000/shop/web:v1.2_3@sha256', '2026-01-02T03:04:05Z', 'a+b'])(
    'is %s',
    (value) => {
      expect(args(request(note(value))).join('\n')).toContain(value);
    },
  );

  it.each(NOT_PLAIN)('fails the run for good and is not shown, if it is %j', (value) => {
    expect(() => args(request(note(value)))).toThrow(
      expect.objectContaining({
        code: 'terminal',
        message: `terminal error: the value of ${NOTE} may not be a part of a word: there it may have only letters, digits and . _ : / @ + -, and begins with a letter or digit`,
        hint: `make it a word of its own, read it from the request on stdin, or use --shell: v=${NOTE}; echo "seen: $v"`,
      }),
    );
  });
});

it.each([
  `curl -d note={{.spec.absent | default "a, b"}}`,
  `touch "{{.metadata.name}} {{.spec.absent | default ' x'}}"`,
])('a default within a word may be any text: %s', (line) => {
  expect(compileExecTemplate(line).args(request(web)).join()).toMatch(/a, b|web {2}x/);
});

it('a value that no argument can contain is refused, and not shown', () => {
  const template = compileExecTemplate('run {{.metadata.name}}');
  const refused = expect.objectContaining({
    code: 'terminal',
    message: 'terminal error: the value of {{.metadata.name}} contains a NUL, which no argument can',
  });
  expect(() => template.args(request({ metadata: { name: 'hidden\0' } }))).toThrow(refused);
});

describe('a placeholder without a value', () => {
  const lines = [
    'run {{.metadata.nme}} x',
    'run {{.spec.list[*].name}}',
    'run {{.spec.list[7]}}',
    'run {{.spec.nothing}}',
  ];
  const object = { metadata: { name: 'web' }, spec: { list: [], nothing: null } };
  const paths = ['.metadata.nme', '.spec.list[*].name', '.spec.list[7]', '.spec.nothing'];

  it.each(lines.map((line, i) => [line, paths[i] as string]))(
    'fails the run for good, with or without a shell: %s',
    (line, path) => {
      const refusal = expect.objectContaining({
        code: 'terminal',
        message: `terminal error: ${path} has no value`,
        hint: `write {{${path} | default "TEXT"}} to run without it`,
      });
      for (const shell of [false, true])
        expect(() => compileExecTemplate(line, { shell }).args(request(object))).toThrow(refusal);
    },
  );

  it('is not one whose value is an empty text, 0 or false', () => {
    const object = { metadata: { name: 'web' }, spec: { text: '', zero: 0, no: false } };
    expect(args('run {{.spec.text}} {{.spec.zero}} {{.spec.no}}', object)).toEqual(['', '0', 'false']);
  });

  it('has the text of its default in a shell too', () => {
    const { args } = compileExecTemplate(`echo {{.spec.a | default "it's"}} {{.spec.b}}`, { shell: true });
    expect(args(request({ metadata: { name: 'web' }, spec: { b: 'b' } })).slice(1)).toEqual([
      'echo "$1" "$2"',
      'sh',
      "it's",
      'b',
    ]);
  });

  it.each(['run {{.a | upper}}', 'run {{.a | default}}', 'run {{.a | default "b" "c"}}', 'run "{{.a | default ""}}"'])(
    'is refused with a filter that does not exist: %s',
    (line) => {
      expect(() => compileExecTemplate(line)).toThrow(
        expect.objectContaining({
          code: 'argument',
          message: expect.stringContaining('after | there may only be default "TEXT"'),
        }),
      );
    },
  );
});

it('knows the name and the namespace of a deleted object of which no state was seen', () => {
  const { args } = compileExecTemplate('run {{.metadata.namespace}}/{{.metadata.name}}');
  expect(args(request(null))).toEqual(['shop/web']);
  expect(() => args({ ...request(null), key: 'worker-1' })).toThrow('.metadata.namespace has no value');
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

it.each([
  ['echo {{.metadata.name}} | tr a-z A-Z', '|'],
  ['echo a && echo b', '&&'],
  ['echo a || echo b', '||'],
  ['sleep 1 &', '&'],
  ['echo a ; echo b', ';'],
  ['echo a; echo b', 'a;'],
  ['echo a > file', '>'],
  ['echo a >>file', '>>file'],
  ['echo a 2>&1', '2>&1'],
  ['cat < file', '<'],
  ['echo $(date)', '$(date)'],
  ['echo x$(date)', 'x$(date)'],
  ['echo `date`', '`date`'],
])('refuses what only a shell does, without a shell: %s', (line, word) => {
  expect(() => compileExecTemplate(line)).toThrow(
    expect.objectContaining({
      code: 'argument',
      message: `no shell reads this line, so ${word} would be an argument of the program`,
      hint: expect.stringContaining('--shell'),
    }),
  );
  expect(compileExecTemplate(line, { shell: true }).command).toBe('/bin/sh');
});

it.each([
  ["grep '|' file", ['|', 'file']],
  ['grep "a > b" \\> \\| a\\;', ['a > b', '>', '|', 'a;']],
  ['find . -exec ls {} ;', ['.', '-exec', 'ls', '{}', ';']],
  ['run a|b a>b a&b x=<none> -', ['a|b', 'a>b', 'a&b', 'x=<none>', '-']],
])('passes on as an argument what is quoted or within a word: %s', (line, expected) => {
  expect(args(line)).toEqual(expected);
});
