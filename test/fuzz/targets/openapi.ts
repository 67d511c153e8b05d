import assert from 'node:assert/strict';
import fc from 'fast-check';
import { loadFieldSchema } from '../../../src/client/field-schema.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { oddJson, oddText } from '../inputs.ts';
import { settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const NAMES = ['A', 'B', '__proto__', 'constructor'];
const FIELDS = ['spec', 'a', '__proto__', 'constructor'];
const GVK = { group: 'g', version: 'v1', kind: 'K' };

const either = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 6, arbitrary: right }, oddJson);
const quoted = (text: string) => JSON.stringify(text);
const joined = (made: Readonly<Record<string, string>>) =>
  `{${Object.entries(made)
    .map(([key, text]) => `${quoted(key)}:${text}`)
    .join()}}`;
const ref = fc.constantFrom(...NAMES).map((name) => quoted(`#/components/schemas/${name}`));

/** A schema, whose parts refer to schemas, each other and themselves. */
const schema = fc.letrec<{ schema: string }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.constantFrom('{}', '{"type":"string"}', '{"type":"object","x-kubernetes-preserve-unknown-fields":true}'),
    ref.map((to) => `{"$ref":${to}}`),
    ref.map((to) => `{"allOf":[{"$ref":${to}}],"default":{}}`),
    either(tie('schema')).map((items) => `{"type":"array","items":${items}}`),
    either(tie('schema')).map((values) => `{"type":"object","additionalProperties":${values}}`),
    fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), either(tie('schema'))), { minLength: 1, maxLength: 4 })
      .map((all) => `{"properties":{${all.map(([name, text]) => `${quoted(name)}:${text}`).join()}}}`),
  ),
})).schema;

const root = either(
  fc.oneof(
    fc.constant('{"apis/g/v1":{"serverRelativeURL":"/x"}}'),
    oddText.map((url) => joined({ 'apis/g/v1': `{"serverRelativeURL":${quoted(url)}}` })),
  ),
).map((paths) => `{"paths":${paths}}`);

const gvks = either(fc.constant(JSON.stringify([GVK])));
const document = fc
  .tuple(fc.dictionary(fc.constantFrom(...NAMES), either(schema)), gvks, either(schema))
  .map(([schemas, kinds, body]) => {
    const main = body.startsWith('{')
      ? `{"x-kubernetes-group-version-kind":${kinds}${body === '{}' ? '' : ','}${body.slice(1)}`
      : body;
    return `{"components":{"schemas":${joined({ ...schemas, Root: main })}}}`;
  });

const steps = fc.array(
  fc.option(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, oddText), { nil: undefined, freq: 8 }),
  { maxLength: 8 },
);

/** A schema of any server, in any form, is followed to a verdict, or is no schema. */
export const openApi = fuzzTarget({
  name: 'openapi',
  share: 0.6,
  inputs: fc.tuple(either(root), either(document), steps),
  async check([rootText, documentText, path]) {
    const client = { raw: async (url: string) => (url === '/openapi/v3' ? rootText : documentText) };
    const outcome = await settled(() => loadFieldSchema(client, GVK));
    if (!('value' in outcome)) assert(outcome.error instanceof InformerError);
    else if (outcome.value) {
      const verdict = outcome.value.look(path);
      assert(['field', 'none', 'open'].includes(verdict.is));
      assert(verdict.known >= 0 && verdict.known <= path.length);
      assert.equal(verdict.is === 'field', verdict.known === path.length);
      if (verdict.is === 'none') assert(!verdict.beside.includes(path[verdict.known] as string));
      for (const name of verdict.beside) assert.equal(typeof name, 'string');
    }
  },
});
