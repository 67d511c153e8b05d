import { expect, it } from 'vitest';
import { nodeFound, openFilesFound } from '../../src/doctor/machine.ts';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`;

it('the limit of open files is fine, low with a fix, or not known', () => {
  expect(openFilesFound(limits('1024'))).toEqual({ status: 'ok', found: 'at most 1024 open files and connections' });
  expect(openFilesFound(limits('unlimited')).status).toBe('ok');
  expect(openFilesFound(limits('256'))).toMatchObject({ status: 'warning', fix: 'ulimit -n 4096' });
  expect(openFilesFound('')).toMatchObject({ status: 'skipped' });
});

it('names Node and the platform', () => {
  expect(nodeFound().found).toContain(`Node ${process.versions.node} on ${process.platform}-${process.arch}`);
});
