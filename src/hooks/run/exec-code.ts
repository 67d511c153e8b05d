import { misplaced, type Placeholder, placeholderOf, plainTextOf, prefixOf, type Word } from './exec-words.ts';

/**
 * Refuses placeholders in words that a program reads as code. The code would be under the control of everybody who may
 * set the value. Throws `argument`. Returns the name of the program that the words run, behind `env` and the like.
 *
 * A value may be an argument, but never a part of a program. So a placeholder is refused
 * - as a command, and in the options of a program that runs one (`env`, `sudo`, `timeout`), unless they are known;
 * - between a shell or an interpreter and its program, whether that is code (`sh -c '…'`, `awk '…'`) or a file;
 * - after a command that makes code of its words (`ssh`, `xargs`, `eval`), and in a variable from which programs load
 *   code (`PATH`, `LD_PRELOAD`);
 * - after an option that by its name takes code (`-c`, `-e`, `--eval`, `--to-command`), except for programs whose option
 *   is known to take something else (`kubectl logs -c`, `grep -e`).
 *
 * `written` is a placeholder that a command of the same shell line may print: a shell must not read its program from
 * stdin then. An unknown program that runs its arguments is not noticed.
 */
export function refuseCode(words: readonly Word[], written?: Placeholder): string {
  const loaded = words.find((word) => placeholderOf(word) && LOADED.test(prefixOf(word)));
  if (loaded)
    refuse([loaded], `in ${prefixOf(loaded).replace(/\+?=.*/, '')}, which decides what a program loads or runs`);
  let program: string | undefined;
  for (let from = 0; from < words.length; ) {
    const at = commandAt(words, from);
    refuse(
      words.slice(from, at + 1).filter((word) => !ASSIGNMENT.test(prefixOf(word))),
      'in the place of a command',
    );
    const name = nameOf(words[at]);
    program ??= name;
    if (MAKES_CODE.test(name)) refuse(words.slice(at + 1), `after ${name}, which runs its words as code`);
    const arguments_ = INTERPRETER.test(name) ? programAt(words, at) + 1 : at;
    const readsStdin = arguments_ > words.length || STDIN_FILE.test(plainTextOf(words[arguments_ - 1] ?? []));
    if (written && (RUNS_STDIN.test(name) || (INTERPRETER.test(name) && readsStdin)))
      misplaced(written, 'in a line with a program that runs what it reads from stdin', SCRIPT);
    const isBehind = words.slice(from, at).some((word) => RUNNERS.has(nameOf(word)));
    from = nextCommand(words, arguments_ + 1, isBehind ? INTERPRETER : SHELL);
    for (let i = arguments_; i < from && i < words.length; i++) refuseAsOption(words, i, name);
  }
  return program ?? '';
}

function refuse(words: readonly Word[], where: string, hint = SCRIPT): void {
  const placeholder = words.map(placeholderOf).find(Boolean);
  if (placeholder) misplaced(placeholder, where, hint);
}

/** The index of the command itself, behind assignments and the programs that run it. */
function commandAt(words: readonly Word[], from: number): number {
  for (let at = from; ; at++) {
    const word = words[at] ?? [];
    const runner = RUNNERS.get(nameOf(word));
    if (runner) at = optionsEnd(words, at, runner) - 1;
    else if (!ASSIGNMENT.test(prefixOf(word)) && !RESERVED.has(plainTextOf(word))) return at;
  }
}

/** The index after the options and operands of the program at `at`, which runs what follows them. */
function optionsEnd(words: readonly Word[], at: number, { options, operands }: Runner): number {
  for (let i = at + 1; i < words.length; i++) {
    const text = prefixOf(words[i] as Word);
    if (text === '--') return i + 1 + operands;
    if (!text.startsWith('-')) return i + operands;
    let c = 1;
    while (options.includes(text[c] ?? ' ') && !options.includes(`${text[c]}:`)) c++;
    const takesValue = options.includes(`${text[c]}:`);
    const isKnown = text.startsWith('--') ? text.includes('=') : takesValue || c === text.length;
    if (!isKnown)
      refuse(words.slice(i), `after ${text} of ${nameOf(words[at])}, which may take a value or not`, SHORT_OPTION);
    if (takesValue && c === text.length - 1) i++;
  }
  return words.length;
}

/** The index of the program that a shell or an interpreter reads; that after all words if it reads its stdin. */
function programAt(words: readonly Word[], at: number): number {
  const [name, texts] = [nameOf(words[at]), words.map(plainTextOf)];
  let i = at + 1;
  while (i < words.length && /^(?:[-+].|\/[ck]$)/i.test(texts[i] as string) && !ENDS.test(texts[i] as string))
    i += TAKES_VALUE.test(texts[i] as string) ? 2 : 1;
  refuse(words.slice(at, i + 1), `where ${name} reads its program`, ARGUMENT);
  const isStdin =
    texts[i] === '-' || (SHELL.test(name) && texts.slice(at + 1, i).some((text) => /^-[a-z]*s$/.test(text)));
  if (isStdin || (i >= words.length && (SHELL.test(name) || i === at + 1))) return words.length;
  return Math.min(i, words.length - 1);
}

/** The index of the next word that starts a command in the arguments of a program: after `--` or `-exec`, and a `program`. */
function nextCommand(words: readonly Word[], from: number, program: RegExp): number {
  const isRun = words.slice(1).some((word) => /^(?:exec|run|debug)$/.test(plainTextOf(word)));
  const at = words.findIndex((word, i) => {
    if (i < from) return false;
    const before = plainTextOf(words[i - 1]);
    return program.test(nameOf(word)) || EXEC.test(before) || (before === '--' && (isRun || !placeholderOf(word)));
  });
  return at < 0 ? words.length : at;
}

/** Refuses a placeholder that is the value of an option that may take code, in the same word or in the next one. */
function refuseAsOption(words: readonly Word[], at: number, program: string): void {
  const word = words[at] as Word;
  const prefix = prefixOf(word);
  const setting = prefix.startsWith('-') ? prefix : `${plainTextOf(words[at - 1])} ${prefix}`;
  if (SETTING.test(setting)) refuse([word], `after ${prefix}, which may take code`);
  const [, name = '', short = ''] = SHORT_CODE.exec(prefix) ?? NAMED_CODE.exec(prefix) ?? [];
  const isGlued = placeholderOf(word) !== undefined;
  const value = isGlued ? word : (words[at + 1] ?? []);
  if (name === '' || (!isGlued && prefix !== name)) return;
  const isNamed = short !== 'e' || !SETS_VARIABLE.test(program) || /^(?:-e)?[A-Za-z_]\w*=/.test(prefixOf(value));
  const isData =
    DATA_OPTIONS[short]?.test(program) && value.every((part) => typeof part !== 'string' || WORD.test(part));
  if (!isNamed || !isData) refuse([value], `after ${name}, which may take code`);
}

/** The name of the program in a word: the last part of its path. */
const nameOf = (word: Word | undefined) =>
  plainTextOf(word)
    .replace(/^.*[/\\]/s, '')
    .replace(/\.exe$/i, '');

const ARGUMENT = `pass it as an argument to the code: sh -c 'echo "$1"' sh {{.path}}`;
/** The files by which a program reads its stdin. */
const STDIN_FILE = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|\d+)\/fd\/0)$/;
const SCRIPT = 'write a script that reads the request from its stdin, and run it with --hook FILE';
const SHORT_OPTION = `write a short option, or --option=VALUE; or ${SCRIPT}`;

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** Words of a shell after which a command begins or its variables follow. */
const RESERVED = new Set('if then elif else while until do ! { } export readonly local'.split(' '));
const EXEC = /^-(?:exec|ok)(?:dir)?$/;
const SHELL =
  /^(?:r?bash|sh|dash|zsh|yash|ysh|osh|posh|hush|xonsh|elvish|(?:[rml]|pd)?ksh(?:93)?|ash|fish|t?csh|pwsh|powershell|cmd)$/;
const INTERPRETER = new RegExp(
  `${SHELL.source}|^(?:python[\\d.]*|pypy[\\d.]*|node(?:js)?|deno|bun|perl[\\d.]*|ruby[\\d.]*|php[\\d.]*|lua(?:jit)?[\\d.]*|[gmn]?awk|g?sed|Rscript|osascript|tclsh[\\d.]*|expect|wish|groovy|jshell|julia|scala|kotlin|swift|guile|racket|sbcl|octave|raku|elixir|iex|ghci|runghc|ts-node|tsx|nu|m4|bc|dc|emacs|vim?|ed|ex|gdb)$`,
);
/** Commands that run a word, or make code of their words; and those that run a command and are too rare to be read here. */
const MAKES_CODE =
  /^(?:ssh|rsh|mosh|su|runuser|watch|watchexec|entr|g?make|just|sqlite3|pdsh|clush|parallel|script|tmux|screen|at|batch|eval|trap|alias|source|\.|let|declare|typeset|\[\[|unset|read|xargs|busybox|toybox|unshare|nsenter|strace|ltrace|systemd-run|setpriv|sshpass|fakeroot|proot|numactl|unbuffer|firejail|bwrap|runcon|prlimit|rlwrap)$/;
const RUNS_STDIN = /^(?:xargs|parallel|at|batch|entr)$/;

/** A program that runs the command in its words: its options, those with a value before a colon, and its operands. */
interface Runner {
  readonly options: string;
  readonly operands: number;
}

/** Programs that run the command in their words, as `NAME OPTIONS OPERANDS`. */
const RUNNERS = new Map<string, Runner>(
  `env i0vu:C:,sudo AbEHnPSkKu:g:h:p:C:r:t:D:R:T:,doas nu:C:,nohup,nice n:,ionice tc:n:p:P:u:,time pvaqf:o:,timeout fpvk:s: 1
stdbuf i:o:e:,setsid cfw,chroot  1,exec cla:,command,builtin,chrt abfiomrRT:P:D: 1,taskset ac 1,gosu  1,su-exec  1,flock nesuxow:E: 1
tini gsvwp:e:,dumb-init crv,npx yp:,bunx,uvx q`
    .split(/[,\n]/)
    .map((row) => row.split(' '))
    .map(([name = '', options = '', operands = 0]) => [name, { options, operands: Number(operands) }]),
);
/** Variables that decide what a program loads or runs. */
const LOADED =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|KUBECONFIG|KUBE_EDITOR|LD_\w+|DYLD_\w+|GIT_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH)\+?=/;
/** Options of shells and interpreters, before the program, whose value is a separate word. */
const TAKES_VALUE = /^(?:[-+][oO]|-[WXrICvF]|--(?:rcfile|init-file|require|import|loader|conditions))$/;
/** Options after which a program is not read at all. */
const ENDS = /^--(?:version|help)$/;
/** Options that take code in most programs, alone or after one or two others: `-lc`, `-c{{…}}`, `git -ccore.pager={{…}}`. */
const SHORT_CODE = /^(-[A-Za-z]{0,2}([ce]))(?:$|\w+(?:\.\w+)+=)/;
/** Options whose names say that they take code or a program: `--command`, `--to-command`, `-exec`, `--rsync-path`. */
const NAMED_CODE =
  /^(--?(?:[a-z\d]+-)*(?:cmd|command|command-line|eval|exec|exec-batch|execute|entrypoint|script|shell|rsh|program|expression|pager|editor)|--(?:pre|rsync-path|upload-pack|receive-pack|checkpoint-action))(?:=|$)/i;
/** Settings that name a program, in or after the options that take settings: `scp -o ProxyCommand=…`. */
const SETTING = /^(?:-o ?|--(?:option|config) )[\w.]*(?:command|exec|editor|pager|hookspath|shell)=$/i;
/** Programs whose `-c` or `-e` takes no code, but a container, a variable, a pattern, a count or a file. */
const DATA_OPTIONS: Readonly<Record<string, RegExp>> = {
  c: /^(?:kubectl|oc|head|tail|cut|wc|stat|ping6?|uniq|sort|[efz]?grep|rg|curl|test|\[|echo|cat|ls)$/,
  e: /^(?:docker|podman|nerdctl|[efz]?grep|rg|curl|test|\[|echo|cat|ls)$/,
};
/** Plain text beside a placeholder in such a value. Other text may be code for a program behind this one. */
const WORD = /^[\w./:@=,+-]*$/;
/** Programs whose `-e` sets a variable: its name must be written out. */
const SETS_VARIABLE = /^(?:docker|podman|nerdctl)$/;
