import { describe, expect, it } from 'vitest';
import { impersonationHeaders } from '../../../src/client/auth/impersonation.ts';

describe('impersonationHeaders', () => {
  it('has the user, the uid, all groups and all extra values, with escaped keys', () => {
    const user = {
      as: 'jane',
      'as-uid': 'u',
      'as-groups': ['a', 'b'],
      'as-user-extra': { 'acme.com/project': ['x', 'y'] },
    };
    expect(impersonationHeaders(user, 'me')).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.com%2Fproject': ['x', 'y'],
    });
  });

  it('refuses groups without a user', () => {
    expect(() => impersonationHeaders({ 'as-groups': ['a'] }, 'me')).toThrow(
      'requesting uid, groups or user-extra for me without impersonating a user',
    );
    expect(impersonationHeaders({}, 'me')).toEqual({});
  });
});
