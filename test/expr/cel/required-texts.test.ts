import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { requiredTexts } from '../../../src/expr/cel/push-down.ts';

const textsOf = (source: string) =>
  requiredTexts(compileCel(source, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES }));

describe('the texts that an object must have in its JSON', () => {
  it.each([
    ['object.spec.nodeName == "node-1"', ['"node-1"']],
    ['"node-1" == object.spec.nodeName', ['"node-1"']],
    ['object.spec.nodeName == "a" && object.status.phase == "Running"', ['"a"', '"Running"']],
    ['object.metadata.labels["app"] == "web" && object.spec.replicas > 3', ['"web"']],
    ['object.spec.nodeName in ["a"]', ['"a"']],
  ])('%s: %j', (source, texts) => {
    expect(textsOf(source)).toEqual(texts);
  });

  it.each([
    ['one of several values', 'object.spec.nodeName == "a" || object.spec.nodeName == "b"'],
    ['what must not be', 'object.spec.nodeName != "a" && !(object.status.phase == "b")'],
    ['numbers, which have several forms', 'object.spec.replicas == 3'],
    ['texts that JSON can write in several ways', 'object.metadata.name == "a/b" || object.metadata.name == "ä"'],
    ['texts with a character that is escaped', 'object.data.text == "a<b" && object.data.other == "a\\"b"'],
    ['an empty text', 'object.spec.nodeName == ""'],
    ['the kind, which lists leave out', 'object.kind == "Pod" && object.apiVersion == "v1"'],
    ['parts of texts', 'object.spec.nodeName.startsWith("a")'],
    ['a comparison in a condition', 'object.spec.on ? object.spec.nodeName == "a" : true'],
  ])('none for %s', (_, source) => {
    expect(textsOf(source)).toEqual([]);
  });
});
