import { describe, expect, it } from 'vitest';
import { readCursor } from '../../../src/cli/completion/cursor.ts';
import { createCatalog } from '../../../src/complete.ts';

const CATALOG = await createCatalog();
const cursorOf = (line: readonly string[], env = {}) => readCursor(line, CATALOG, env);

describe('the cursor', () => {
  it.each<[string[], string | undefined, string[], object]>([
    [[''], undefined, [], { is: 'word', typed: '' }],
    [['serve', 'stop', ''], 'serve stop', [], { is: 'word', typed: '' }],
    [['serve', 'pods', ''], 'serve', ['pods'], { is: 'word', typed: '' }],
    [['-n', 'shop', 'watch', 'po'], 'watch', [], { is: 'word', typed: 'po' }],
    [['watch', 'pods', '-n'], 'watch', ['pods'], { is: 'flag', typed: '-n' }],
    [['watch', 'pods', '-n', ''], 'watch', ['pods'], { is: 'value', typed: '', lead: '' }],
    [['watch', 'pods', '-An', 's'], 'watch', ['pods'], { is: 'value', typed: 's', lead: '' }],
    [['watch', 'pods', '--namespace='], 'watch', ['pods'], { is: 'value', typed: '', lead: '' }],
    [['watch', 'pods', '-ns'], 'watch', ['pods'], { is: 'value', typed: 's', lead: '-n' }],
    [['watch', '--nosuch', 'pods', ''], 'watch', ['pods'], { is: 'word', typed: '' }],
    [['watch', '--', '-x'], 'watch', [], { is: 'word', typed: '-x' }],
    [['watch', '--timestamps', 'po'], 'watch', [], { is: 'word', typed: 'po' }],
  ])('in %j', (line, command, words, at) => {
    const cursor = cursorOf(line);
    expect({ command: cursor.command, words: cursor.words }).toEqual({ command, words });
    expect(cursor.at).toMatchObject(at);
  });

  it('reads the environment for flags that were not typed', () => {
    const env = { KUBECTL_INFORMER_NAMESPACE: 'shop' };
    expect(cursorOf(['watch', 'po'], env).line.given.get('namespace')?.values).toEqual(['shop']);
    expect(cursorOf(['watch', '-n', 'a', 'po'], env).line.given.get('namespace')?.values).toEqual(['a']);
  });
});
