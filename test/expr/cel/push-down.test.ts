import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { type PushDown, pushDown } from '../../../src/expr/cel/push-down.ts';
import { FieldSelector } from '../../../src/model/field-selector.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';

const POD_FIELDS = new Set([
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'status.phase',
  'spec.hostNetwork',
  'status.replicas',
]);

const compile = (source: string) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
const pushed = (source: string): PushDown => pushDown(compile(source), { supportedFields: POD_FIELDS });

describe('a condition on a label becomes a label selector that means the same', () => {
  it.each([
    ['object.metadata.labels.app == "web"', 'app=web'],
    ['object.metadata.labels["app.kubernetes.io/name"] == "web"', 'app.kubernetes.io/name=web'],
    ['"web" == object.metadata.labels.app', 'app=web'],
    ['object.metadata["labels"]["app"] == ""', 'app='],
    ['object.metadata.labels.app in ["b", "a"]', 'app in (a,b)'],
    ['object.metadata.labels.app == "a" || object.metadata.labels.app == "b"', 'app in (a,b)'],
    ['object.metadata.labels.app in ["a"]', 'app=a'],
    ['object.metadata.labels.app != "web"', 'app,app!=web'],
    ['!(object.metadata.labels.app == "web")', 'app!=web'],
    ['!(object.metadata.labels.app in ["a", "b"])', 'app notin (a,b)'],
    ['has(object.metadata.labels.app)', 'app'],
    ['!has(object.metadata.labels.app)', '!app'],
    ['"app" in object.metadata.labels', 'app'],
    ['object.metadata.labels.app == "web" && object.metadata.labels.tier == "db"', 'app=web,tier=db'],
  ])('%s', (source, labelSelector) => {
    expect(pushed(source)).toMatchObject({ labelSelector, local: '' });
  });
});

describe('a condition on a field becomes a field selector', () => {
  it.each([
    ['object.metadata.name == "web-1"', 'metadata.name=web-1', ''],
    ['object.metadata.name == "a" && object.metadata.namespace == "b"', 'metadata.name=a,metadata.namespace=b', ''],
    ['object.metadata.name in ["a"]', 'metadata.name=a', ''],
    ['object.spec.nodeName == "n1"', 'spec.nodeName=n1', 'object.spec.nodeName == "n1"'],
    ['object.status.phase != "Running"', 'status.phase!=Running', 'object.status.phase != "Running"'],
    ['object.spec.hostNetwork == true', 'spec.hostNetwork=true', 'object.spec.hostNetwork == true'],
    ['object.status.replicas == 3', 'status.replicas=3', 'object.status.replicas == 3'],
  ])('%s, evaluated here too unless it means exactly the same', (source, fieldSelector, local) => {
    expect(pushed(source)).toMatchObject({ fieldSelector, local });
  });
});

describe('a condition that no selector can express stays here', () => {
  it.each([
    ['object.metadata.labels.app == "two words"'],
    ['object.metadata.labels.app in ["ok", "a,b"]'],
    ['object.metadata.labels["bad key!"] == "x"'],
    ['object.metadata.labels.app == 3'],
    ['object.metadata.labels.app == object.metadata.name'],
    ['object.metadata.labels.app in []'],
    ['object.metadata.annotations.app == "web"'],
    ['object.spec.unsupported == "x"'],
    ['object.spec.nodeName == ""'],
    ['object.metadata.name in ["a", "b"]'],
    ['object.metadata.name.startsWith("a")'],
    ['oldObject.metadata.labels.app == "web"'],
    ['event == "ADDED"'],
    ['now > timestamp("2026-01-01T00:00:00Z")'],
    ['object.metadata.labels.app == "a" || object.metadata.name == "b"'],
    ['object.metadata.labels.app == "a" || object.metadata.labels.tier == "b"'],
    ['object.?metadata.?labels.?app.orValue("web") == "web"'],
    ['[{"metadata": {"labels": {"app": "x"}}}].exists(object, object.metadata.labels.app == "web")'],
    ['object.metadata.labels.app == "web" ? true : false'],
  ])('%s', (source) => {
    const { labelSelector, fieldSelector, pushed: sent, local } = pushed(source);
    expect({ labelSelector, fieldSelector, sent }).toEqual({
      labelSelector: undefined,
      fieldSelector: undefined,
      sent: [],
    });
    expect(() => compile(local)).not.toThrow();
    expect(local).not.toBe('');
  });
});

it('the conditions that are sent are listed, the others keep their order', () => {
  const source =
    'object.metadata.labels.app == "web" && object.spec.replicas > 2 && (event == "ADDED" || now == now) && object.metadata.name == "a"';
  expect(pushed(source)).toEqual({
    labelSelector: 'app=web',
    fieldSelector: 'metadata.name=a',
    pushed: ['object.metadata.labels.app == "web"', 'object.metadata.name == "a"'],
    local: 'object.spec.replicas > 2 && (event == "ADDED" || now == now)',
  });
});

it('selectors and the remaining conditions accept the same objects as the whole expression', () => {
  const condition = fc.constantFrom(
    'object.metadata.labels.app == "web"',
    'object.metadata.labels.app != "web"',
    '!(object.metadata.labels.app == "web")',
    'object.metadata.labels.tier in ["db", ""]',
    '!(object.metadata.labels.tier in ["db", "web"])',
    'has(object.metadata.labels.tier)',
    '!has(object.metadata.labels.app)',
    '(object.metadata.labels.app == "web" || object.metadata.labels.app == "db")',
    'object.metadata.name == "a"',
    '!(object.metadata.name == "a")',
    'object.spec.nodeName == "n1"',
    'object.spec.nodeName != "n1"',
    'object.status.phase in ["n1"]',
    '(object.spec.nodeName == "n1" || event == "ADDED")',
  );
  const label = fc.option(fc.constantFrom('web', 'db', ''), { nil: undefined });
  const field = fc.option(fc.constantFrom('n1', 'n2', ''), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 1, maxLength: 4 }),
      label,
      label,
      field,
      field,
      (conditions, app, tier, nodeName, phase) => {
        const labels = Object.fromEntries(
          Object.entries({ app, tier }).filter(([, value]) => value !== undefined),
        ) as Record<string, string>;
        const object = {
          metadata: { name: 'a', namespace: 'b', labels },
          spec: present({ nodeName }),
          status: present({ phase }),
        };
        const vars = { object, oldObject: null, event: 'ADDED', now: new Date(0) };
        const source = conditions.join(' && ');
        const { labelSelector = '', fieldSelector = '', local } = pushed(source);
        const fields: Record<string, string> = {
          'metadata.name': 'a',
          'spec.nodeName': nodeName ?? '',
          'status.phase': phase ?? '',
        };
        const atServer =
          LabelSelector.parse(labelSelector).matches(labels) &&
          FieldSelector.parse(fieldSelector).matches((name) => fields[name] ?? '');
        expect(atServer && (local === '' || compile(local).test(vars))).toBe(compile(source).test(vars));
      },
    ),
  );
});

const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
