import { describe, expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/hooks/run/exec-template.ts';
import { NOTE, note, request } from '../../support/hook-request.ts';

it.each([
  `sh -c "echo ${NOTE}"`,
  `sh -c ${NOTE}`,
  `s\\h ${NOTE}`,
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
  `gosu app ${NOTE}`,
  `chrt 5 ${NOTE}`,
  `taskset 0x1 ${NOTE}`,
  `flock /run/lock ${NOTE}`,
  `env BASH_ENV=${NOTE} bash report.sh`,
  `env LD_PRELOAD=${NOTE} ./report`,
  `env GIT_SSH_COMMAND=${NOTE} git fetch`,
])('with or without a shell, a value as a part of a program is refused, with a hint: %s', (line) => {
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
  [`kubectl exec web -c main -- touch ${NOTE}`, ['exec', 'web', '-c', 'main', '--', 'touch', 'a b']],
  [`env A=1 curl -S ${NOTE}`, ['A=1', 'curl', '-S', 'a b']],
  [`sudo -n touch ${NOTE}`, ['-n', 'touch', 'a b']],
  [`timeout -k 5 30 touch ${NOTE}`, ['-k', '5', '30', 'touch', 'a b']],
  [`flock /run/lock touch ${NOTE}`, ['/run/lock', 'touch', 'a b']],
  [`touch -- ${NOTE}`, ['--', 'a b']],
  [`env -u HOME A=1 nice -n 5 touch ${NOTE}`, ['-u', 'HOME', 'A=1', 'nice', '-n', '5', 'touch', 'a b']],
])('a value that is a whole word may be any text: %s', (line, expected) => {
  expect(compileExecTemplate(line).args(request(note('a b')))).toEqual(expected);
});

it.each([
  `sudo --user app ${NOTE}`,
  `sudo --user ${NOTE} id`,
  `timeout --signal KILL 5 ${NOTE}`,
  `nice -Z 5 touch ${NOTE}`,
  `xargs touch ${NOTE}`,
  `strace -f touch ${NOTE}`,
  `sudo anything python3 ${NOTE}`,
  `cmd /c ${NOTE}`,
])('a program that runs another one takes a value only where its options are known: %s', (line) => {
  for (const shell of [false, true])
    expect(() => compileExecTemplate(line, { shell })).toThrow(
      expect.objectContaining({ code: 'argument', hint: expect.stringMatching(/--hook|sh -c 'echo "\$1"'/) }),
    );
});

describe('options with names that say that they take code', () => {
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
    `docker exec db psql -c ${NOTE}`,
    `docker exec db psql -c 'select '${NOTE}`,
    `docker run alpine git -ccore.pager=${NOTE} log`,
    `kubectl logs web -c "x; "${NOTE}`,
    `anything -- other --command${NOTE}`,
  ])('take no placeholder, unless the program is known to take something else: %s', (line) => {
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
  ])('other options take placeholders: %s', (line) => {
    for (const shell of [false, true]) expect(() => compileExecTemplate(line, { shell })).not.toThrow();
  });
});
