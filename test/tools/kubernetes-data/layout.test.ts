import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readData, writeData } from '../../../tools/kubernetes-data/layout.ts';

it('puts what fits on one line, the rest below each other, and reads back the same', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'layout-'));
  try {
    const file = path.join(folder, 'data.json');
    const long = 'x'.repeat(100);
    const data = { short: { a: 1, b: ['c', null] }, long: { [long]: ['more than fits'] }, empty: {} };
    writeData(file, data);
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      '{',
      '  "short": { "a": 1, "b": ["c", null] },',
      '  "long": {',
      `    "${long}": [`,
      '      "more than fits"',
      '    ]',
      '  },',
      '  "empty": {}',
      '}',
      '',
    ]);
    expect(readData(file)).toEqual(data);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
