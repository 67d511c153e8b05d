import { readFileSync } from 'node:fs';
import { type CheckResult, ok, skipped, warning } from './finding.ts';

/** Fewer open files than this are too few for a server with many readers. */
const FEW_FILES = 1024;

export function nodeFound(): CheckResult {
  const { versions, platform, arch, execPath } = process;
  return ok(`Node ${versions.node} on ${platform}-${arch} (${execPath})`);
}

/** How many files and connections this process may have open. `limits` is the content of /proc/self/limits. */
export function openFilesFound(limits: string | undefined = procLimits()): CheckResult {
  const [, soft = ''] = /^Max open files +(\S+)/m.exec(limits ?? '') ?? [];
  if (soft === '') return skipped('this system does not say how many files a process may open');
  const text = `at most ${soft} open files and connections`;
  if (soft === 'unlimited' || Number(soft) >= FEW_FILES) return ok(text);
  return warning(`${text}; several clusters or a serve with many readers need more`, `ulimit -n ${FEW_FILES * 4}`);
}

function procLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
