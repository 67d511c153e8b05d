import fc from 'fast-check';

const KEYS = ['metadata', 'managedFields', 'object', 'spec', 'kind', 'apiVersion', 'items', 'x'];
const STRINGS = [
  '',
  'managedFields',
  '"managedFields":[',
  '},{"metadata":{',
  '}],"name',
  '\\',
  '"',
  'é🙂',
  ']',
  '[{',
  'Pod',
];
const space = fc.constantFrom('', '', '', ' ', '\n  ');

const key = fc
  .record({ key: fc.constantFrom(...KEYS), escapes: fc.constantFrom(false, false, false, true) })
  .map(({ key, escapes }) => (escapes ? `"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}"` : `"${key}"`));
const scalar = fc.oneof(
  fc.constantFrom(...STRINGS).map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '-1.5e3', '0'),
);

const { value } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 5, depthSize: 'small' }, scalar, tie('object'), tie('object'), tie('list')),
  object: members(fc.tuple(key, tie('value'))),
  list: fc
    .tuple(space, fc.array(tie('value'), { maxLength: 4 }))
    .map(([gap, all]) => `[${gap}${all.join(`${gap},${gap}`)}${gap}]`),
}));

function members(member: fc.Arbitrary<[string, string]>): fc.Arbitrary<string> {
  return fc
    .tuple(space, fc.array(member, { maxLength: 5 }))
    .map(
      ([gap, all]) => `{${gap}${all.map(([name, text]) => `${name}${gap}:${gap}${text}`).join(`${gap},${gap}`)}${gap}}`,
    );
}

const listOfEntries = fc.array(value, { maxLength: 3 }).map((all) => `[${all.join(',')}]`);
const metadata = members(
  fc.oneof(fc.tuple(fc.constant('"managedFields"'), fc.oneof(listOfEntries, value)), fc.tuple(key, value)),
);

/** The text of a random object, usually with metadata and managedFields, in any place and form. */
export const objectText: fc.Arbitrary<string> = members(
  fc.oneof(
    fc.tuple(fc.constant('"metadata"'), fc.oneof({ weight: 4, arbitrary: metadata }, { weight: 1, arbitrary: value })),
    fc.tuple(key, value),
  ),
);
/** The text of any JSON value. */
export const valueText: fc.Arbitrary<string> = value;
