import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const API = path.resolve(import.meta.dirname, '../package/api');

/** Public types with such a method that `using` does not end, and why. */
const NOT_ENDED: Readonly<Record<string, string>> = {
  ContinuityLedger: 'stop notes that a watch ended; nothing is open',
  Transport: 'programs write their own, and the client that has it ends it',
};

interface Shape {
  readonly name: string;
  readonly text: string;
}

const shapes: Shape[] = readdirSync(API)
  .filter((file) => file.endsWith('.txt'))
  .flatMap((file) => {
    const text = readFileSync(path.join(API, file), 'utf8');
    const found = text.matchAll(/^(?:export |declare |abstract )*(?:class|interface) (\w+)[^\n]*\{\n[\s\S]*?^\}/gm);
    return Array.from(found, ([whole, name = '']) => ({ name, text: whole }));
  });

const hasEnd = ({ text }: Shape) => /^ {4}(close|stop|shutDown)\(/m.test(text);
const isUsable = ({ text }: Shape) => /^[^\n]*Disposable\b|Symbol\.(asyncD|d)ispose\]/.test(text);

it('everything public that ends can be ended by using, or by await using', () => {
  const without = shapes.filter((shape) => hasEnd(shape) && !isUsable(shape)).map(({ name }) => name);
  expect(without.filter((name) => !(name in NOT_ENDED))).toEqual([]);
  expect(Object.keys(NOT_ENDED).filter((name) => !without.includes(name))).toEqual([]);
  expect(shapes.filter(hasEnd).length).toBeGreaterThan(8);
});
