import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
const MOST_LINES = 600;
const MOST_OF_A_FUNCTION = 90;

const floor = path.resolve(SRC, '../tools/typescript-floor/package.json');
const ts = createRequire(floor)('typescript') as Compiler;

/** The part of the compiler that these tests need. */
interface Compiler {
  createSourceFile(name: string, text: string, target: number, parents: boolean): Node;
  forEachChild(node: Node, visit: (child: Node) => void): void;
  isFunctionLike(node: Node): boolean;
}

interface Node {
  readonly body?: unknown;
  readonly name?: { getText(): string };
  getText(): string;
}

describe('the sources', () => {
  it(`have no file of more than ${MOST_LINES} lines`, () => {
    const long = filesOf(SRC).filter((file) => linesIn(textOf(file)) > MOST_LINES);
    expect(long).toEqual([]);
  });

  it(`have no function of more than ${MOST_OF_A_FUNCTION} lines`, () => {
    const long = filesOf(SRC).flatMap((file) => longFunctions(file, textOf(file), MOST_OF_A_FUNCTION));
    expect(long).toEqual([]);
  });

  it('are measured with the functions inside functions, and methods', () => {
    const text = 'class A {\n  b() {\n    return () => {\n      f();\n    };\n  }\n}\n';
    expect(longFunctions('a.ts', text, 2)).toEqual([
      'a.ts: b has 5 lines',
      'a.ts: a function without a name has 3 lines',
    ]);
    expect(longFunctions('a.ts', text, 4)).toEqual(['a.ts: b has 5 lines']);
  });
});

function longFunctions(file: string, text: string, most: number): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const lines = ts.isFunctionLike(node) && node.body ? node.getText().split('\n').length : 0;
    if (lines > most) found.push(`${file}: ${node.name?.getText() ?? 'a function without a name'} has ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, 99, true));
  return found;
}

const textOf = (file: string) => readFileSync(path.join(SRC, file), 'utf8');
const linesIn = (text: string) => text.split('\n').length - 1;
