import { readFile } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { onAbort } from '../../kit/abort.ts';
import { builtin } from '../../kit/builtin.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { killChild } from '../../kit/kill-child.ts';
import type { ClusterEntry, ExecEntry } from '../config/kubeconfig-entries.ts';
import { LARGEST_CREDENTIAL } from '../http/limits.ts';

/** The user, the cluster and the environment of a plugin run. */
export interface ExecPluginContext {
  userName: string;
  cluster: ClusterEntry;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal that the plugin may use. */
  interactive: boolean;
  /** Called with the plugin's output on stderr (prompts, device codes) as it arrives. */
  onStderr: (text: string) => void;
  signal?: AbortSignal | undefined;
}

/** The output of a credential plugin: a token, a client certificate with its key, or both. */
export interface ExecCredential {
  token?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
  /** End of validity, ms since the epoch. Undefined = valid until the server refuses it. */
  expiresAt?: number | undefined;
}

/** For this time after a plugin failed, callers get the same error, ms. The next request does not run it again. */
export const FAILURE_HOLDS_MS = 2_000;
/**
 * For this time after a plugin ran, or a provider was asked, because the server refused the credentials, neither is
 * done again for another refusal, ms. So a refused watch can be tried every second.
 */
export const RENEWAL_HOLDS_MS = 4_000;

const MODES = ['Never', 'IfAvailable', 'Always'];
const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Runs a credential plugin once. Rejects with `credentials` if it fails, or with `config` if its entry in the
 * kubeconfig is not valid.
 * Source: client-go plugin/pkg/client/auth/exec, KEP-541.
 */
export async function runExecPlugin(exec: ExecEntry, context: ExecPluginContext): Promise<ExecCredential> {
  const { command, apiVersion } = validated(exec, context.userName);
  const interactive = useTerminal(exec, context);
  const info = {
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive, ...(await clusterInfo(exec, context.cluster)) },
  };
  const env = { ...context.env, ...own(exec), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const stdout = await run(command, exec, { env, interactive, onStderr: context.onStderr, signal: context.signal });
  return credentialIn(stdout, apiVersion);
}

function validated(exec: ExecEntry, user: string): { command: string; apiVersion: string } {
  const { command, apiVersion, interactiveMode } = exec;
  const must = (field: string) =>
    new InformerError('config', `${field} must be specified for ${user} to use exec authentication plugin`, {
      hint: 'correct the exec section of that user in the kubeconfig',
    });
  if (!command) throw must('command');
  if (!apiVersion) throw must('apiVersion');
  if (!VERSIONS.includes(apiVersion)) {
    throw new InformerError('config', `exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`, {
      hint: `one of ${VERSIONS.join(', ')}`,
    });
  }
  // v1beta1 has a default, v1 has none
  if (!interactiveMode && apiVersion === VERSIONS[0]) throw must('interactiveMode');
  if (interactiveMode && !MODES.includes(interactiveMode)) {
    throw new InformerError('config', `invalid interactiveMode for ${user}: ${JSON.stringify(interactiveMode)}`, {
      hint: `one of ${MODES.join(', ')}`,
    });
  }
  return { command, apiVersion };
}

function useTerminal({ interactiveMode = 'IfAvailable' }: ExecEntry, { interactive }: ExecPluginContext): boolean {
  if (interactiveMode === 'Always' && !interactive) {
    throw new InformerError(
      'credentials',
      'exec plugin cannot support interactive mode: standard input is not a terminal',
    );
  }
  return interactiveMode !== 'Never' && interactive;
}

/** The name of the cluster extension that is passed to plugins. Source: client-go clientcmd api ClusterExecConfig. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

async function clusterInfo({ provideClusterInfo }: ExecEntry, cluster: ClusterEntry): Promise<{ cluster?: object }> {
  if (!provideClusterInfo) return {};
  const { extensions, 'certificate-authority': file, 'certificate-authority-data': data, ...rest } = cluster;
  const ca = data ?? (file === undefined ? undefined : (await readFile(file)).toString('base64'));
  const config = extensions?.find((extension) => extension.name === EXEC_EXTENSION)?.extension;
  return {
    cluster: {
      ...rest,
      ...(ca === undefined ? {} : { 'certificate-authority-data': ca }),
      ...(config === undefined ? {} : { config }),
    },
  };
}

function own({ env }: ExecEntry): Record<string, string> {
  return Object.fromEntries((env ?? []).map(({ name = '', value = '' }) => [name, value]));
}

interface RunOptions {
  env: NodeJS.ProcessEnv;
  interactive: boolean;
  onStderr: (text: string) => void;
  signal: AbortSignal | undefined;
}

function run(command: string, exec: ExecEntry, { env, interactive, onStderr, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    // In a group of its own, its children end with it. A plugin that asks the user stays in the terminal's group.
    const detached = !interactive && process.platform !== 'win32';
    const child = builtin
      .childProcess()
      .spawn(command, exec.args ?? [], { env, detached, stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'] });
    const kill = (how: NodeJS.Signals) => {
      if (detached && child.pid !== undefined) killGroup(child.pid, how);
      else killChild(child, how);
      child.stdout?.destroy(); // a process that left the group may keep the pipes open
      child.stderr?.destroy();
    };
    const end = () => kill('SIGTERM');
    process.once('exit', end); // also when the process exits without an abort
    const abort = signal && onAbort(signal, end);
    const unlink = () => {
      abort?.[Symbol.dispose]();
      process.off('exit', end);
    };
    const fail = (text: string, next: string, cause?: unknown) => {
      unlink();
      reject(
        new InformerError('credentials', `getting credentials: exec: ${text}`, {
          cause,
          hint: exec.installHint ?? next,
        }),
      );
    };
    const tooMuch = (stream: string) => () => {
      kill('SIGKILL');
      fail(tooMuchText(command, stream), PLUGIN_FAILED);
    };
    const parts: Buffer[] = [];
    child.stdout?.on(
      'data',
      upTo(LARGEST_CREDENTIAL, (chunk) => parts.push(chunk), tooMuch('output')),
    );
    const text = new StringDecoder('utf8');
    child.stderr?.on(
      'data',
      upTo(LARGEST_CREDENTIAL, (chunk) => onStderr(text.write(chunk)), tooMuch('error')),
    );
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const next = `install ${command}, or correct the exec command of this user in the kubeconfig; \`user\` and \`context\` choose another`;
      fail(cause.code === 'ENOENT' ? `executable ${command} not found` : messageOf(cause), next, cause);
    });
    child.on('close', (code, killedBy) => {
      unlink();
      if (code === 0) resolve(Buffer.concat(parts).toString('utf8'));
      else fail(`executable ${command} failed with ${code === null ? killedBy : `exit code ${code}`}`, PLUGIN_FAILED);
    });
  });
}

const tooMuchText = (command: string, stream: string) =>
  `executable ${command} printed more than ${LARGEST_CREDENTIAL} bytes on its standard ${stream}, the limit; it was killed`;

const PLUGIN_FAILED =
  'log in again if it asks for that (its output is above), or choose another user with `user` or `context`';

/** A function that passes chunks to `take`. As soon as they exceed `limit` bytes in total, it calls `beyond` once. */
function upTo(limit: number, take: (chunk: Buffer) => void, beyond: () => void): (chunk: Buffer) => void {
  let left = limit;
  return (chunk) => {
    if (left < 0) return;
    left -= chunk.length;
    if (left < 0) beyond();
    else take(chunk);
  };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: it has ended already
  }
}

function credentialIn(stdout: string, apiVersion: string): ExecCredential {
  const { apiVersion: returned, status } = parse(stdout);
  if (returned !== apiVersion)
    throw bad(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned ${/^[\w./]{1,80}$/.test(returned ?? '') ? `version ${returned}` : 'no valid version'}`,
    );
  if (!status) throw bad("exec plugin didn't return a status field");
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !certificate && !key) throw bad("exec plugin didn't return a token or cert/key pair");
  if (!certificate !== !key) throw bad('exec plugin returned only certificate or key, not both');
  return { token, certificate, key, expiresAt: expirationTimestamp ? timeOf(expirationTimestamp) : undefined };
}

function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) throw bad('exec plugin returned an expirationTimestamp that is not a time');
  return time;
}

interface ExecAnswer {
  apiVersion?: string;
  status?: { token?: string; clientCertificateData?: string; clientKeyData?: string; expirationTimestamp?: string };
}

function parse(stdout: string): ExecAnswer {
  try {
    return JSON.parse(stdout) ?? {};
  } catch {
    throw bad('exec plugin did not print an ExecCredential in JSON'); // no cause: it would quote the output
  }
}

function bad(text: string): InformerError {
  return new InformerError('credentials', `getting credentials: ${text}`, {
    hint: 'correct the exec section of this user in the kubeconfig',
  });
}
