import { describe, expect, it } from 'vitest';
import { isThisProtocol, protocolError } from '../../src/serve/protocol.ts';

describe('the protocol of a serve', () => {
  it.each([
    ['3', 'version 3', 'upgrade this program'],
    ['1', 'version 1', "end the other with 'serve stop' and start serve again"],
    [undefined, 'version none', "end the other with 'serve stop' and start serve again"],
  ])('names both versions and the next step when the other side has %s', (theirs, other, hint) => {
    expect(protocolError(theirs, 'the serve with pid 7')).toMatchObject({
      code: 'config',
      message: `the serve with pid 7 speaks protocol ${other}, this program version 2`,
      hint: expect.stringContaining(hint),
    });
  });

  it('is version 2, as a number and as a header', () => {
    expect([2, '2', 1, '1', undefined, ''].map(isThisProtocol)).toEqual([true, true, false, false, false, false]);
  });
});
