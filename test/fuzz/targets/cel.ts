import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CelProgram, compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { fieldsSeen } from '../../../src/expr/cel/fields-seen.ts';
import { pushDown, requiredTexts } from '../../../src/expr/cel/push-down.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { addressText } from '../../../src/model/field-path.ts';
import { FieldSelector } from '../../../src/model/field-selector.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { anyExpression, composedExpression, OBJECTS } from '../../expr/cel/random-expressions.ts';
import { oddObject, oddText } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const compile = (source: string) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
const NOW = new Date(0);

/** The answer for an object: true, false, or an error that is a value. */
function answerOf(program: CelProgram, object: unknown): boolean | InformerError {
  const answer = program.test({ object, oldObject: null, event: 'ADDED', now: NOW });
  assert.ok(typeof answer === 'boolean' || answer instanceof InformerError);
  return answer;
}

const expression = fc.oneof(
  { weight: 3, arbitrary: anyExpression },
  { weight: 3, arbitrary: composedExpression },
  { weight: 1, arbitrary: fc.array(fc.oneof(anyExpression, oddText), { maxLength: 4 }).map((all) => all.join('')) },
);

export const cel = fuzzTarget({
  name: 'cel',
  inputs: fc.tuple(expression, oddObject),
  check: ([source, text]) => {
    const compiled = outcomeOf(() => compile(source));
    if ('error' in compiled) return;
    for (const object of [...OBJECTS, parseJson(text)]) {
      const answer = answerOf(compiled.value, object);
      assert.equal(answerOf(compiled.value, object), answer);
      const vars = { object, oldObject: object, event: 'MODIFIED', now: NOW };
      const value = outcomeOf(() => compiled.value.evaluate(vars));
      if ('value' in value) jsonText(value.value);
    }
  },
});

/** An expression has the same answers for the fields that it reads, which a large cache keeps, as for whole objects. */
export const celFieldsSeen = fuzzTarget({
  name: 'cel-fields-seen',
  share: 0.3,
  inputs: fc.tuple(expression, fc.array(oddObject, { minLength: 1, maxLength: 3 })),
  check: ([source, texts]) => {
    const compiled = outcomeOf(() => compile(source));
    const seen = 'value' in compiled ? fieldsSeen(compiled.value) : undefined;
    if ('error' in compiled || !seen) return;
    const indexer = new Indexer<UnknownObject>({ store: 'compact' });
    const bodies = [...OBJECTS, ...texts.flatMap((text) => [parseJson(text), { a: parseJson(text) }])] as object[];
    const objects = bodies.map((body, i) => ({ ...body, metadata: { name: `o${i}`, uid: `u${i}` } }));
    const fields = seen.map(addressText);
    indexer.keepFields(fields);
    for (const object of objects) indexer.update(object);
    const found = [...createLister(indexer).scan({ fields })];
    assert.equal(found.length, objects.length);
    for (const part of found) {
      const whole = objects[Number(part?.metadata.name?.slice(1))];
      assert.equal(answerOf(compiled.value, part), answerOf(compiled.value, whole));
    }
  },
});

const label = fc.constantFrom('object.metadata.labels.app', 'object.metadata.labels["a.b/c"]', 'object.metadata.name');
const field = fc.constantFrom(
  'object.spec.nodeName',
  'object.status.phase',
  'object.metadata.namespace',
  'object.spec.n',
);
const TEXTS = ['web', 'db', '', 'a', 'a=b', 'a,b', 'x y', '3', "it's", 'é'];
const literal = fc.oneof(
  fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)),
  fc.constantFrom('3', 'true'),
);
const literals = fc.array(literal, { maxLength: 3 }).map((all) => `[${all.join(', ')}]`);
const condition = fc.oneof(
  fc.tuple(fc.oneof(label, field), fc.constantFrom('==', '!='), literal).map((parts) => parts.join(' ')),
  fc.tuple(literal, fc.constantFrom('==', '!='), label).map((parts) => parts.join(' ')),
  fc.tuple(fc.oneof(label, field), literals).map(([path, all]) => `${path} in ${all}`),
  label.filter((path) => !path.includes('[')).map((path) => `has(${path})`),
  fc.constantFrom('"app" in object.metadata.labels', 'event == "ADDED"', 'object.spec.n > 2'),
);
const negatable = fc.tuple(fc.constantFrom('', '', '!'), condition).map(([not, text]) => (not ? `!(${text})` : text));
const either = fc.array(negatable, { minLength: 1, maxLength: 2 }).map((all) => `(${all.join(' || ')})`);
const narrowing = fc.array(fc.oneof(negatable, either), { minLength: 1, maxLength: 4 }).map((all) => all.join(' && '));

const text = fc.constantFrom(...TEXTS);
const some = fc.record(
  { app: text, 'a.b/c': text, nodeName: text, phase: text, n: fc.constantFrom<unknown>(3, true, '3', 1) },
  { requiredKeys: [] },
);
const SUPPORTED = new Set(['metadata.name', 'metadata.namespace', 'spec.nodeName', 'status.phase', 'spec.n']);

/** The selectors and the rest of an expression together accept the objects that the whole expression accepts. */
export const celPushDown = fuzzTarget({
  name: 'cel-push-down',
  inputs: fc.tuple(narrowing, some, fc.constantFrom('a', 'web'), fc.constantFrom('db', 'a')),
  check: ([source, { app, 'a.b/c': other, nodeName, phase, n }, name, namespace]) => {
    const labels = present({ app, 'a.b/c': other }) as Record<string, string>;
    const object = {
      metadata: { name, namespace, labels },
      spec: present({ nodeName, n }),
      status: present({ phase }),
    };
    const program = compile(source);
    const { labelSelector = '', fieldSelector = '', local } = pushDown(program, { supportedFields: SUPPORTED });
    // a server compares a field as text, and an absent one as the empty text
    const fields: Readonly<Record<string, unknown>> = {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'spec.nodeName': nodeName,
      'status.phase': phase,
      'spec.n': n,
    };
    const isSelected =
      LabelSelector.parse(labelSelector).matches(labels) &&
      FieldSelector.parse(fieldSelector).matches((at) => String(fields[at] ?? ''));
    const whole = answerOf(program, object);
    const together = isSelected && (local === '' || answerOf(compile(local), object));
    assert.equal(together === true, whole === true);
    if (whole !== true) return;
    const json = JSON.stringify(object);
    for (const required of requiredTexts(program)) assert.ok(json.includes(required), `${required} is not in ${json}`);
  },
});

const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
