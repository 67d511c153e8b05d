import { describe, expect, it } from 'vitest';
import data from '../../../../src/sandbox/types/data/descriptions.json' with { type: 'json' };
import { describeCommon, describeField, describeMessage } from '../../../../src/sandbox/types/fields/descriptions.ts';
import { allMessages } from '../../../../src/sandbox/types/fields/field-table.ts';

describe('descriptions', () => {
  it('are only of messages and fields that exist', () => {
    const known = new Map<string, Set<string>>();
    for (const { name, fields } of allMessages())
      known.set(name, new Set([...(known.get(name) ?? ['']), ...fields.keys()]));
    for (const scalar of ['Quantity', 'Time', 'MicroTime', 'IntOrString']) known.set(scalar, new Set(['']));
    const wrong = Object.entries(data).flatMap(([message, texts]) =>
      Object.keys(texts).flatMap((field) => (known.get(message)?.has(field) ? [] : [`${message} ${field}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('are sentences', () => {
    const texts = Object.values<Readonly<Record<string, string>>>(data).flatMap((of) => Object.values(of));
    expect(texts.filter((text) => !/^[\dA-Za-z*].*\.$/.test(text))).toEqual([]);
  });

  it('describe messages, their fields, and the fields at the top of every object', () => {
    expect(describeMessage('Deployment')).toBe(data.Deployment['']);
    expect(describeField('Container', 'image')).toBe(data.Container.image);
    expect(describeCommon('kind')).toMatch(/such as Pod/);
    expect([describeMessage('Nonsense'), describeField('Deployment', 'spec'), describeCommon('replicas')]).toEqual(
      Array(3).fill(undefined),
    );
  });

  it('are the same for every kind of condition, unless one has its own', () => {
    expect(describeField('DeploymentCondition', 'reason')).toBe(data.Condition.reason);
    expect(describeField('Deployment', 'reason')).toBeUndefined();
  });
});
