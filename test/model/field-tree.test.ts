import { describe, expect, it } from 'vitest';
import { EACH } from '../../src/model/field-path.ts';
import { fieldTreeOf } from '../../src/model/field-tree.ts';

describe('the fields that addresses read', () => {
  it('are their names, each once, and all of what a longer address goes through where a shorter one ends there', () => {
    expect(fieldTreeOf([])).toEqual(new Map());
    expect(
      fieldTreeOf([
        ['status', 'phase'],
        ['status', 'podIP'],
        ['spec', 'nodeName'],
        ['spec'],
        ['metadata'],
        ['metadata', 'name'],
      ]),
    ).toEqual(
      new Map<string, unknown>([
        [
          'status',
          new Map([
            ['phase', true],
            ['podIP', true],
          ]),
        ],
        ['spec', true],
        ['metadata', true],
      ]),
    );
  });

  it('are all of what is above a step that is no name', () => {
    expect(fieldTreeOf([['spec', 'containers', EACH, 'image']])).toEqual(
      new Map([['spec', new Map([['containers', true]])]]),
    );
  });

  it('are whole objects where an address begins with no name', () => {
    expect(fieldTreeOf([[EACH, 'name']])).toBeUndefined();
    expect(fieldTreeOf([['status'], []])).toBeUndefined();
  });
});
