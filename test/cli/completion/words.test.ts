import { describe, expect, it } from 'vitest';
import { queryFlags } from '../../../src/cli/args/query-flags.ts';
import { connectionFlags } from '../../../src/cli/args/shared-flags.ts';
import { watchFlags } from '../../../src/cli/args/watch-flags.ts';
import { WORDS } from '../../../src/cli/completion/words.ts';
import { REGISTRY } from '../../../src/commands/registry.ts';
import { OBJECT_PARTS } from '../../../src/model/object-parts.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { SCENARIO_NAMES } from '../../../src/sandbox/scenarios/scenarios.ts';
import { parseForCondition } from '../../../src/stream/conditions/for-condition.ts';

describe('what completion knows by itself', () => {
  it('says of each command what its words are', () => {
    expect(Object.keys(WORDS).sort()).toEqual(Object.keys(REGISTRY).sort());
  });

  it('has scenarios that exist, and all of them', () => {
    expect(connectionFlags.scenario.words).toEqual(SCENARIO_NAMES);
  });

  it('has formats that are understood', () => {
    const words = [...(watchFlags.output.words ?? []), ...(queryFlags.output.words ?? [])];
    expect(words.length).toBeGreaterThan(15);
    for (const word of words) expect(() => parseOutputFormat(word.endsWith('=') ? `${word}x` : word)).not.toThrow();
  });

  it('has conditions that are understood', () => {
    const examples: Record<string, string> = { 'condition=': 'Ready', 'jsonpath=': '{.status.phase}' };
    expect(watchFlags.for.words?.length).toBeGreaterThan(3);
    for (const word of watchFlags.for.words ?? [])
      expect(() => parseForCondition(`${word}${examples[word] ?? ''}`)).not.toThrow();
  });

  it('has the parts of --predicate that its help names', () => {
    for (const word of watchFlags.predicate.words ?? []) {
      expect(Object.keys(OBJECT_PARTS)).toContain(word);
      expect(watchFlags.predicate.summary).toContain(word);
    }
    expect(watchFlags.predicate.words).toHaveLength(6);
  });
});
