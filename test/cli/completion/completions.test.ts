import { describe, expect, it } from 'vitest';
import { completionText, Directive, offered, offeredParts } from '../../../src/cli/completion/completions.ts';

describe('the answer to a shell', () => {
  it('has a line for each candidate that begins like the typed word, and the directive last', () => {
    const candidates = [
      { value: 'pods', about: 'Pod' },
      { value: 'nodes' },
      { value: 'podtemplates' },
      { value: 'pods' },
    ];
    expect(completionText(offered(candidates), 'po')).toBe('pods\tPod\npodtemplates\n:4\n');
    expect(completionText(offeredParts([]), '')).toBe(`:${Directive.noSpace + Directive.noFiles}\n`);
  });

  it.each([
    'a b',
    'a;b',
    'a$(b)',
    'a`b`',
    'a\nb',
    'a\tb',
    'a|b',
    'a&b',
    'a>b',
    '\u001b[2J',
    '',
    "a'b",
    'a"b',
    'a\\b',
    '~a',
    'a!b',
  ])('leaves out %j, which a shell or a terminal could take for more than a word', (value) => {
    expect(completionText(offered([{ value }]), '')).toBe(':4\n');
  });

  it.each([
    '.spec.containers[*].image',
    'jsonpath={.metadata.name',
    'arn:aws:eks:eu:1:cluster/x',
    'admin@cluster',
    'größe',
  ])('has %j as it is', (value) => {
    expect(completionText(offered([{ value }]), '')).toBe(`${value}\n:4\n`);
  });

  it('shortens a description to one line of 80 characters, without what a terminal obeys', () => {
    const about = `first\n\u001b[31msecond\tthird ${'x'.repeat(200)}`;
    const [, shown = ''] = completionText(offered([{ value: 'a', about }]), '').split(/[\t\n]/);
    expect(shown).toMatch(/^first \[31msecond third x+…$/);
    expect([...shown]).toHaveLength(80);
  });
});
