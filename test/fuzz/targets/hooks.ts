import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TargetResolver, type TargetType } from '../../../src/hooks/actions/action-target.ts';
import type { HookRequest } from '../../../src/hooks/hook.ts';
import { parseReply } from '../../../src/hooks/reply.ts';
import { compileExecTemplate } from '../../../src/hooks/run/exec-template.ts';
import { ReplyReader } from '../../../src/hooks/run/reply-reader.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { chunkLengths, chunksOf, damaged, oddJson, oddObject, oddText } from '../inputs.ts';
import { comparable, outcomeOf, settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const VERBS = ['apply', 'create', 'patch', 'delete', 'status', 'event', 'log'];
const quoted = oddText.map((text) => JSON.stringify(text));
const metadata = fc
  .record(
    { name: fc.oneof(quoted, oddJson), namespace: fc.oneof(quoted, oddJson), generateName: oddJson },
    { requiredKeys: [] },
  )
  .map(objectOf);
const body = fc.oneof(
  oddObject,
  oddJson,
  fc.constant('true'),
  fc
    .record(
      {
        apiVersion: fc.constantFrom('"v1"', '"apps/v1"', '"a/b/c"', '7'),
        kind: fc.constantFrom('"Pod"', '"Thing"'),
        metadata,
      },
      { requiredKeys: ['metadata'] },
    )
    .map(objectOf),
  fc.record({ reason: quoted, message: quoted, type: fc.constantFrom('"Warning"', '"x"') }).map(objectOf),
);
const target = fc
  .record(
    {
      gvr: fc.constantFrom('"v1/pods"', '"apps/v1/x"', '"a"', '7'),
      name: fc.oneof(quoted, oddJson),
      namespace: quoted,
    },
    { requiredKeys: [] },
  )
  .map(objectOf);
const action = fc
  .tuple(
    fc.constantFrom(...VERBS),
    body,
    fc.record({ on: target, own: oddJson, patchType: fc.constantFrom('"json"', '"merge"', '7') }, { requiredKeys: [] }),
  )
  .map(([verb, text, more]) => objectOf({ [verb]: text, ...more }));
const reply = fc.oneof(
  oddObject,
  fc
    .record(
      {
        actions: fc.oneof(
          { weight: 5, arbitrary: fc.array(action, { maxLength: 3 }).map((all) => `[${all.join()}]`) },
          oddJson,
        ),
        requeueAfter: fc.oneof(fc.constantFrom('"5s"', '"-1s"', '"9999999999h"'), oddJson),
        requeueAfterMs: oddJson,
        error: fc.oneof(quoted, oddJson),
        permanent: fc.constantFrom('true', 'false', '"x"'),
      },
      { requiredKeys: [] },
    )
    .map(objectOf),
);

function objectOf(members: Readonly<Record<string, string | undefined>>): string {
  return `{${Object.entries(members)
    .flatMap(([key, text]) => (text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]))
    .join()}}`;
}

const PODS: TargetType = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true };
const resolver = new TargetResolver({ primary: PODS, types: async () => [PODS] });
const SUBJECT = { namespace: 'shop', name: 'web', object: null };

/** A reply is refused, or is a list of actions whose targets are found or refused. */
export const hookReplies = fuzzTarget({
  name: 'hook-replies',
  inputs: reply,
  check: async (text) => {
    const outcome = outcomeOf(() => parseReply(parseJson(text)));
    if ('error' in outcome) return;
    const { actions, requeueAfterMs, error } = outcome.value;
    assert.ok(requeueAfterMs === undefined || (requeueAfterMs >= 0 && Number.isFinite(requeueAfterMs)));
    assert.ok(error === undefined || typeof error === 'string');
    for (const each of actions) {
      assert.ok(VERBS.includes(each.verb));
      assert.equal(typeof each.body, 'object');
      if (each.verb === 'log') continue;
      const resolved = await settled(() => resolver.resolve(each, SUBJECT));
      if ('error' in resolved) continue;
      assert.equal(typeof resolved.value.name, 'string');
      assert.equal(typeof resolved.value.namespace, 'string');
    }
  },
});

/** What the stdout of a hook gives: its reply, and the lines beside it. */
function readOutput(chunks: readonly Buffer[]) {
  const lines: string[] = [];
  const lost: string[] = [];
  const reader = new ReplyReader({ onLine: (line) => lines.push(line), onLostReply: (line) => lost.push(line) });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, lost, reply: comparable(outcomeOf(() => reader.reply())) };
}

const output = fc
  .array(fc.oneof(reply, oddText, fc.constantFrom('', '{', '}', 'log line')), { maxLength: 5 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

export const hookOutput = fuzzTarget({
  name: 'hook-output',
  inputs: fc.tuple(damaged(output), chunkLengths),
  check: ([bytes, lengths]) => {
    assert.deepStrictEqual(readOutput(chunksOf(bytes, lengths)), readOutput([bytes]));
  },
});

const piece = fc.oneof(
  fc.constantFrom(
    'kubectl',
    'annotate',
    '--',
    '-x',
    '--a=',
    ' ',
    '  ',
    '"',
    "'",
    '\\',
    '{{',
    '}}',
    '$',
    '|',
    ';',
    '&&',
  ),
  fc.constantFrom('{{.metadata.name}}', '{{ .spec.a }}', '{{.a}}', '{{}}', '{{.x[}}', 'sh', '-c', '$(', ')', '`', '#'),
  oddText,
);
const commandLine = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

/** A value is never more than one argument, and the shell's text contains no value. */
export const execTemplates = fuzzTarget({
  name: 'exec-templates',
  inputs: fc.tuple(commandLine, fc.boolean(), oddText),
  check: ([line, shell, text]) => {
    const compiled = outcomeOf(() => compileExecTemplate(line, { shell }));
    if ('error' in compiled) return;
    const argsFor = (value: string) => {
      const object = { metadata: { name: value }, spec: { a: value }, a: value };
      return outcomeOf(() => compiled.value.args({ object } as unknown as HookRequest));
    };
    const [plain, odd] = [argsFor('value'), argsFor(text)];
    if ('error' in plain || 'error' in odd) return;
    assert.equal(odd.value.length, plain.value.length);
    if (shell) assert.deepStrictEqual(odd.value.slice(0, 3), plain.value.slice(0, 3));
    assert.ok(odd.value.every((argument) => !argument.includes('\0') || line.includes('\0')));
  },
});
