import { expect, it } from 'vitest';
import { calls, childrenOf, keysRead, readsBeyond } from '../../../src/expr/cel/walk.ts';
import { compile } from '../../support/cel.ts';

const ast = (source: string) => compile(source).ast;

it.each([
  ['object["a"] == object.b', ['a', 'b']],
  ['object.a.b == object.c', ['a', 'c']],
  ['[1].exists(x, object["a"] == x) && object.b', ['a', 'b']],
  ['object[event] == 1', []],
  ['object[0] == oldObject.a', []],
])('%s reads the keys %j of object', (source, keys) => {
  expect(keysRead(ast(source), 'object')).toEqual(keys);
});

it.each([
  ['object.a == 1 && object["a"] == 2', false],
  ['event == "ADDED"', false],
  ['object.a == object.b', true],
  ['object.size() == 1', true],
  ['object[event] == 1', true],
  ['[1].exists(x, x == object.b)', true],
])('%s reads more of object than the key a: %s', (source, beyond) => {
  expect(readsBeyond(ast(source), 'object', 'a')).toBe(beyond);
});

it.each([
  ['rolledOut(object)', true],
  ['object.a && [1].exists(x, rolledOut(object))', true],
  ['object.rolledOut == 1', false],
])('%s calls rolledOut: %s', (source, called) => {
  expect(calls(ast(source), 'rolledOut')).toBe(called);
});

it('the children of a node are the nodes in its arguments, those in lists too', () => {
  expect(childrenOf(ast('[object, 1]')).map(({ op }) => op)).toEqual(['id', 'value']);
  expect(childrenOf(ast('{"a": object}')).map(({ op }) => op)).toEqual(['value', 'id']);
  expect(childrenOf(ast('1'))).toEqual([]);
});
