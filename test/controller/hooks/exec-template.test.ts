import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/controller/hooks/exec-template.ts';
import type { HookRequest } from '../../../src/controller/hooks/hook.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

function request(object: UnknownObject | null, oldObject?: UnknownObject): HookRequest {
  return {
    version: 1,
    key: 'shop/web',
    gvr: 'v1/pods',
    object,
    ...(oldObject ? { oldObject } : {}),
    changed: [],
    causes: [],
    attempt: 1,
    snapshots: {},
  };
}

const web: UnknownObject = { metadata: { name: 'web', namespace: 'shop', labels: { 'app.io/tier': "it's $(here)", flag: '--force' } } };
const args = (line: string, object: UnknownObject = web) => compileExecTemplate(line).args(request(object));

it.each([
  ['kubectl annotate pod {{.metadata.name}} seen=yes', ['annotate', 'pod', 'web', 'seen=yes']],
  ['run -n {{ .metadata.namespace }} {{.metadata.namespace}}/{{.metadata.name}}', ['-n', 'shop', 'shop/web']],
  [`run 'two words' "a \\"quoted\\" {{.metadata.name}}" back\\ slash ''`, ['two words', 'a "quoted" web', 'back slash', '']],
  [`run {{.metadata.labels.app\\.io/tier}}`, ["it's $(here)"]],
  [`run {{.metadata.labels['app.io/tier']}}`, ["it's $(here)"]],
  ['run x{{.metadata.labels.flag}}', ['x--force']],
  ['run -- {{.metadata.labels.flag}}', ['--', '--force']],
  ['run {{.spec.absent}}', ['']],
])('%s', (line, expected) => {
  expect(args(line)).toEqual(expected);
});

it('a value never becomes an option', () => {
  expect(() => args('run {{.metadata.labels.flag}}')).toThrow(
    expect.objectContaining({ message: '"--force" would be read as an option', hint: 'put -- before the placeholder' }),
  );
});

it.each([
  'run {{.metadata.labels.absent}}{{.metadata.labels.flag}}',
  "run ''{{.metadata.labels.flag}}",
  'run {{.metadata.labels.absent}}{{.metadata.labels.absent}}{{.metadata.labels.flag}}/x',
  'kubectl exec web -- rm {{.metadata.labels.flag}}',
])('a value does not make an option of the finished word: %s', (line) => {
  expect(() => args(line)).toThrow('would be read as an option');
  expect(() => compileExecTemplate(line, { shell: true }).args(request(web))).toThrow('would be read as an option');
});

it.each(['run -{{.metadata.name}}', 'run --{{.metadata.name}}=x', 'run --on{{.metadata.name}}'])('a value names no option: %s', (line) => {
  for (const shell of [false, true]) expect(() => compileExecTemplate(line, { shell })).toThrow('in the name of an option');
});

it('a value that no argument can hold is refused without being shown', () => {
  const template = compileExecTemplate('run {{.metadata.name}}');
  const refused = expect.objectContaining({ message: 'what {{.metadata.name}} stands for holds a NUL, which no argument can' });
  expect(() => template.args(request({ metadata: { name: 'hidden\0' } }))).toThrow(refused);
});

it('for a shell, values are positional parameters and never in the text it reads', () => {
  const line = `echo {{.metadata.labels['app.io/tier']}} x{{.metadata.name}} | wc`;
  const { command, args } = compileExecTemplate(line, { shell: true });
  expect(command).toBe('/bin/sh');
  expect(args(request(web))).toEqual(['-c', `echo "$1" x"$2" | wc`, 'sh', "it's $(here)", 'web']);
});

/** What a hostile annotation may hold. */
const HOSTILE = [
  '$(echo RUN)',
  '`echo RUN`',
  '"; echo RUN; "',
  "'; echo RUN; '",
  '; echo RUN',
  '\necho RUN',
  '" RUN "$HOME',
  'a  b\t*',
  '\\',
  "'",
  '"',
  `$\{PATH}`,
  '!!',
  '> /dev/null',
  '# RUN',
  'line\n',
  '',
];

const note = (text: string): UnknownObject => ({ metadata: { name: 'web', annotations: { note: text } } });
const NOTE = '{{.metadata.annotations.note}}';

it.each([
  `printf '[%s]' ${NOTE}`,
  `printf '[%s]' "x: "${NOTE}`,
  `v=${NOTE}; printf '[%s]' "$v"`,
  `if true; then printf '[%s]' ${NOTE}; fi # it's done`,
  `(printf '[%s]' ${NOTE}) | cat`,
  `printf '[%s]' \\\\${NOTE}`,
  `for v in ${NOTE}; do printf '[%s]' "$v"; done`,
  `printf '[%s]' 1 2 3 4 5 6 7 8 9 >/dev/null; printf '[%s]' ${Array(11).fill(NOTE).join('')}`,
  `printf '[%s]' "$(echo "it's")" >/dev/null; printf '[%s]' ${NOTE}`,
  `v=${NOTE}; w="$v"; printf '[%s]' "\${w}"`,
  `echo x | sh -c 'cat' >/dev/null; printf '[%s]' ${NOTE}`,
  `case ${NOTE} in *) printf '[%s]' ${NOTE} ;; esac`,
  `sh -c 'printf "[%s]" "$1"' sh ${NOTE}`,
])('for a shell, a hostile value stays one word: %s', (line) => {
  const { command, args } = compileExecTemplate(line, { shell: true });
  const lead = line.includes('"x: "') ? 'x: ' : line.includes('\\\\') ? '\\' : '';
  const times = line.split(NOTE).length > 10 ? 11 : 1;
  for (const value of HOSTILE) {
    const printed = execFileSync(command, args(request(note(value))), { encoding: 'utf8' });
    expect(printed).toBe(`[${lead}${value.repeat(times)}]`);
  }
});

it.each([
  [`echo "x: ${NOTE}"`, 'within quotes'],
  [`echo 'x: ${NOTE}'`, 'within quotes'],
  [`echo "$(echo "a ${NOTE}")"`, 'within quotes'],
  [`echo "it's" 'x' "${NOTE}"`, 'within quotes'],
  [`echo \\${NOTE}`, 'behind a backslash'],
  [`echo \\\\\\${NOTE}`, 'behind a backslash'],
  [`echo $${NOTE}`, 'behind a $'],
  [`echo \`echo ${NOTE}\``, 'within a substitution'],
  [`kubectl get $(echo ${NOTE})`, 'within a substitution'],
  [`echo $(echo "a" $(echo ${NOTE}))`, 'within a substitution'],
  [`echo \${x:-${NOTE}}`, 'within a substitution'],
  [`echo $((1 + ${NOTE}))`, 'within a substitution'],
  [`diff <(echo ${NOTE}) x`, 'within a substitution'],
  [`((${NOTE} > 1)) && echo more`, 'within arithmetic'],
  [`sh <<EOF\necho ${NOTE}\nEOF`, 'here-document'],
  [`sh <<< ${NOTE}`, 'here-document'],
  [`echo {a,${NOTE}}`, 'in a word with braces'],
  [`true # ${NOTE}`, 'in a comment'],
  [`# it's\necho '${NOTE}' # it's`, 'within quotes'],
  [`${NOTE} x`, 'in the place of a command'],
  [`true; ${NOTE}`, 'in the place of a command'],
  [`A=1 ${NOTE}`, 'in the place of a command'],
  [`if true; then x${NOTE}; fi`, 'in the place of a command'],
  [`set -- a; echo ${NOTE}`, 'positional parameters of its own'],
  [`shift; echo ${NOTE}`, 'positional parameters of its own'],
  [`f() { echo ${NOTE}; }; f`, 'positional parameters of its own'],
  [`eval echo ${NOTE}`, 'behind eval'],
  [`. ${NOTE}`, 'behind .'],
  [`trap ${NOTE} EXIT`, 'behind trap'],
  [`[[ ${NOTE} -eq 1 ]]`, 'behind [['],
  [`export ${NOTE}`, 'where export reads the name of a variable'],
  [`true | xargs sh -c ${NOTE}`, 'where sh reads its program'],
  [`v=${NOTE}; sh -c "echo $v"`, 'where sh reads its program'],
  [`v=${NOTE}; sh -c \${v}`, 'where sh reads its program'],
  [`v=${NOTE}; eval "$v"`, 'behind eval'],
  [`v=${NOTE}; $v`, 'in the place of a command'],
  [`for v in ${NOTE}; do "$v"; done`, 'in the place of a command'],
  [`v=${NOTE}; psql -c "select '$v'"`, 'in the text behind -c'],
  [`$SHELL -c ${NOTE}`, 'reads its program'],
  [`"\${SHELL}" -c "echo" && $SHELL -c ${NOTE}`, 'reads its program'],
  [`echo ${NOTE} | sh`, 'what it reads from stdin'],
  [`v=${NOTE}; echo "$v" | bash -s`, 'what it reads from stdin'],
  [`PATH=${NOTE} report`, 'in PATH'],
  [`BASH_ENV=${NOTE} bash report.sh`, 'in BASH_ENV'],
  [`export LD_PRELOAD=${NOTE}; ls`, 'in LD_PRELOAD'],
  [`echo "open ${NOTE}`, 'is not closed'],
  [`echo $(open ${NOTE}`, 'is not closed'],
  [`echo $'it\\'s' ${NOTE}`, "$'…'"],
])('for a shell, refuses a placeholder that would be more than a word: %s', (line, where) => {
  const refusal = expect.objectContaining({ code: 'argument', message: expect.stringContaining(where) });
  expect(() => compileExecTemplate(line, { shell: true })).toThrow(refusal);
});

it.each([
  `sh -c "echo ${NOTE}"`,
  `sh -c ${NOTE}`,
  `sh -c 'echo '${NOTE}`,
  `/bin/sh -c "echo ${NOTE}"`,
  `bash -lc "echo ${NOTE}"`,
  `bash -o pipefail -c "echo ${NOTE}"`,
  `bash -c -e "echo ${NOTE}"`,
  `zsh -c "${NOTE}"`,
  `env sh -c "echo ${NOTE}"`,
  `env A=1 sh -c "echo ${NOTE}"`,
  `env ${NOTE} ls`,
  `nohup timeout 5 dash -c "echo ${NOTE}"`,
  `busybox sh -c "echo ${NOTE}"`,
  `sh ${NOTE}`,
  `kubectl exec web -- sh -c "echo ${NOTE}"`,
  `kubectl exec web -- python3 -c "print('${NOTE}')"`,
  `find / -name x -exec sh -c "echo ${NOTE}" ;`,
  `xargs -I x sh -c "echo ${NOTE}"`,
  `xargs ${NOTE}`,
  `ssh host echo ${NOTE}`,
  `ssh ${NOTE}`,
  `su - app -c "echo ${NOTE}"`,
  `watch -n 1 echo ${NOTE}`,
  `python3.12 -c "print('${NOTE}')"`,
  `/usr/bin/python -W ignore -c "print('${NOTE}')"`,
  `node -e "console.log('${NOTE}')"`,
  `node --eval=${NOTE}`,
  `perl -ne "print '${NOTE}'"`,
  `ruby -e "puts '${NOTE}'"`,
  `awk "BEGIN { print \\"${NOTE}\\" }"`,
  `sed -e "s/x/${NOTE}/" file`,
  `psql -c "select '${NOTE}'"`,
  `mysql --execute "select '${NOTE}'"`,
  `eval echo ${NOTE}`,
  `env -S "sh -c" "echo ${NOTE}"`,
  `env -S${NOTE}`,
  `env --split-string="sh -c ${NOTE}"`,
  `find . -exec ${NOTE} ;`,
  `kubectl exec web -- ${NOTE}`,
  `timeout -s KILL 5 ${NOTE}`,
  `timeout 5 ${NOTE}`,
  `sudo -u app ${NOTE}`,
  `sudo -u ${NOTE} id`,
  `nohup -- ${NOTE}`,
  `chroot /mnt ${NOTE}`,
  `flock /run/lock ${NOTE}`,
  `env BASH_ENV=${NOTE} bash report.sh`,
  `env LD_PRELOAD=${NOTE} ./report`,
  `env GIT_SSH_COMMAND=${NOTE} git fetch`,
])('with or without a shell, refuses a value as a part of a program, and says the way out: %s', (line) => {
  const refusal = expect.objectContaining({
    code: 'argument',
    message: expect.stringContaining(NOTE),
    hint: expect.stringMatching(/sh -c 'echo "\$1"'|--hook|outside/),
  });
  expect(() => compileExecTemplate(line)).toThrow(refusal);
  expect(() => compileExecTemplate(line, { shell: true })).toThrow(refusal);
});

it.each([
  [`sh -c 'echo "$1"' sh ${NOTE}`, ['-c', 'echo "$1"', 'sh', 'a b']],
  [`python3 report.py --note ${NOTE}`, ['report.py', '--note', 'a b']],
  [`kubectl get node ${NOTE}`, ['get', 'node', 'a b']],
  [`kubectl logs web -c ${NOTE}`, ['logs', 'web', '-c', 'a b']],
  [`kubectl annotate pod web "note=seen ${NOTE}"`, ['annotate', 'pod', 'web', 'note=seen a b']],
  [`kubectl exec web -c main -- touch /tmp/${NOTE}`, ['exec', 'web', '-c', 'main', '--', 'touch', '/tmp/a b']],
  [`env A=${NOTE} ./report`, ['A=a b', './report']],
  [`env A=1 curl -S ${NOTE}`, ['A=1', 'curl', '-S', 'a b']],
  [`sudo -n touch ${NOTE}`, ['-n', 'touch', 'a b']],
  [`timeout -k 5 30 touch ${NOTE}`, ['-k', '5', '30', 'touch', 'a b']],
  [`flock /run/lock touch ${NOTE}`, ['/run/lock', 'touch', 'a b']],
  [`touch -- ${NOTE}`, ['--', 'a b']],
  [`curl --data note=${NOTE} http://localhost`, ['--data', 'note=a b', 'http://localhost']],
])('takes a value as data: %s', (line, expected) => {
  expect(args(line, note('a b'))).toEqual(expected);
});

it('of an object that is gone, the last known state is filled in', () => {
  expect(compileExecTemplate('run {{.metadata.name}}').args(request(null, web))).toEqual(['web']);
});

it.each([
  ['', 'the command to run is empty'],
  ['   ', 'the command to run is empty'],
  [`run 'open`, 'a quote is not closed'],
  ['run {{.metadata.name', 'a placeholder is not closed'],
  ['{{.metadata.name}} x', 'the command itself cannot be a placeholder'],
  ['run {{.metadata[}}', 'unterminated'],
])('refuses %j', (line, message) => {
  expect(() => compileExecTemplate(line)).toThrow(message);
});

describe('an option that by its name takes code', () => {
  it.each([
    `yash -c ${NOTE}`,
    `yash -lc ${NOTE}`,
    `anything -c ${NOTE}`,
    `anything -e ${NOTE}`,
    `anything -e${NOTE}`,
    `anything --command ${NOTE}`,
    `anything --command=${NOTE}`,
    `anything --eval ${NOTE}`,
    `anything -exec ${NOTE}`,
    `anything --execute=${NOTE}`,
    `anything --pre-exec=${NOTE}`,
    `docker run --entrypoint ${NOTE} alpine`,
    `docker run -e ${NOTE} alpine`,
    `docker run -e LD_PRELOAD=${NOTE} alpine`,
    `tar -xf a.tar --to-command ${NOTE}`,
    `tar -xf a.tar --to-command=${NOTE}`,
    `tar -cf a.tar --checkpoint-action=exec=${NOTE} x`,
    `tar -xf a.tar --use-compress-program=${NOTE}`,
    `rsync -e ${NOTE} a b:`,
    `rsync --rsh=${NOTE} a b:`,
    `rsync --rsync-path=${NOTE} a b:`,
    `git -c ${NOTE} status`,
    `git -c core.pager=${NOTE} log`,
    `git -ccore.pager=${NOTE} log`,
    `git clone --upload-pack ${NOTE} x`,
    `scp -o ProxyCommand=${NOTE} a b:`,
    `scp -oProxyCommand=${NOTE} a b:`,
    `fd x --exec-batch ${NOTE}`,
    `psql -c ${NOTE}`,
    `psql --command=${NOTE}`,
    `mysql -e ${NOTE}`,
    `mysql --init-command=${NOTE}`,
    `script -c ${NOTE}`,
    `watch ${NOTE}`,
    `parallel ${NOTE}`,
    `tmux new-window ${NOTE}`,
    `screen -X ${NOTE}`,
    `make X=${NOTE}`,
    `sqlite3 a.db ${NOTE}`,
    `nc -e ${NOTE} host 1`,
    `rg --pre ${NOTE} x`,
    `ansible all -e ${NOTE}`,
    `env A=1 timeout 5 anything -c ${NOTE}`,
    `anything kubectl -c ${NOTE}`,
    `kubectl exec web -c main -- psql -c ${NOTE}`,
    `sudo -u app psql -c ${NOTE}`,
  ])('has no placeholder, of a program that is not known to take something else: %s', (line) => {
    for (const shell of [false, true]) {
      const attempt = () => compileExecTemplate(line, { shell });
      expect(attempt).toThrow(
        expect.objectContaining({ code: 'argument', hint: expect.stringMatching(/--hook|sh -c 'echo "\$1"'|outside/) }),
      );
    }
  });

  it.each([
    `kubectl -n ${NOTE} get pods`,
    `kubectl logs web -c ${NOTE}`,
    `kubectl logs web -c${NOTE}`,
    `sudo -u app kubectl logs web -c ${NOTE}`,
    `env A=1 timeout 5 kubectl logs web -c ${NOTE}`,
    `kubectl exec web -c ${NOTE} -- ls /tmp`,
    `kubectl annotate pod web note=${NOTE}`,
    `helm upgrade web chart --set image.tag=${NOTE}`,
    `curl -d ${NOTE} http://127.0.0.1/`,
    `curl -H X-Note:${NOTE} --data-raw ${NOTE} -e ${NOTE} http://127.0.0.1/`,
    `docker run -e NOTE=${NOTE} alpine env`,
    `grep -e ${NOTE} file`,
    `head -c ${NOTE} file`,
    `find . -name ${NOTE} -type f`,
    `git commit -m ${NOTE}`,
    `jq --arg note ${NOTE} .x file`,
    `aws s3 cp ${NOTE} s3://b/`,
    `curl -d command=${NOTE} http://127.0.0.1/`,
    `kubectl label pod web shell=${NOTE}`,
    `helm upgrade web chart --set=command=${NOTE}`,
    `notify --exit-code ${NOTE} --action=${NOTE} --command-id ${NOTE} --pre-release=${NOTE}`,
    `notify --message ${NOTE} --recipe ${NOTE} --description=${NOTE}`,
  ])('is none of these: %s', (line) => {
    for (const shell of [false, true]) expect(() => compileExecTemplate(line, { shell })).not.toThrow();
  });
});
