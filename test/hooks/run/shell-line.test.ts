import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { compileExecTemplate } from '../../../src/hooks/run/exec-template.ts';
import { literalOf, placeholderOf } from '../../../src/hooks/run/exec-words.ts';
import { readShellLine } from '../../../src/hooks/run/shell-line.ts';
import { NOTE, note, request, web } from '../../support/hook-request.ts';

/** The words of commands as text, with placeholders as they are written. */
const textOf = (commands: ReturnType<typeof readShellLine>['commands']) =>
  commands.map((words) => words.map((word) => literalOf(word) ?? placeholderOf(word)?.source));

it('placeholders become numbered parameters, in order', () => {
  const { script, placeholders } = readShellLine(`a {{.x}} b{{.y}} ${Array(8).fill('{{.z}}').join(' ')} {{.x}}`);
  expect(script).toBe(`a "$1" b"$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" "$\{10}" "$\{11}"`);
  expect(placeholders.map(({ path }) => path)).toEqual(['.x', '.y', ...Array(8).fill('.z'), '.x']);
});

it('a line without placeholders is passed on unchanged, and not parsed', () => {
  expect(readShellLine(`echo "open`)).toEqual({ script: 'echo "open', placeholders: [], commands: [], traced: [] });
});

it('each simple command has its words, without redirections and separators', () => {
  const { commands } = readShellLine(`a 'b c' {{.x}} >out 2>&1 && d "e" | f; # {comment}`);
  expect(textOf(commands)).toEqual([['a', 'b c', '{{.x}}', '2'], ['d', 'e'], ['f']]);
});

it('a variable that is set from a placeholder is traced to it', () => {
  const { traced } = readShellLine(`v={{.x}}; w=1; echo "$v" $w; for u in {{.y}}; do run $\{u}; done`);
  expect(textOf(traced)[2]).toEqual(['echo', '{{.x}}', '$w']);
  expect(textOf(traced).at(-2)).toEqual(['do', 'run', '{{.y}}']);
});

it('for a shell, values are positional parameters and never in its text', () => {
  const line = `echo {{.metadata.labels['app.io/tier']}} x{{.metadata.name}} | wc`;
  const { command, args } = compileExecTemplate(line, { shell: true });
  expect(command).toBe('/bin/sh');
  expect(args(request(web))).toEqual(['-c', `echo "$1" x"$2" | wc`, 'sh', "it's $(here)", 'web']);
});

/** Values that a hostile annotation may have. */
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
  `v=${NOTE}; sh -c 'printf "[%s]" "$1"' sh "$v"`,
  `w=1; export v=${NOTE}; sh -c "true $w"; set -u; printf '[%s]' "$v"`,
  `set -eo nounset; set -o noglob +x; printf '[%s]' ${NOTE}`,
  `{ printf '[%s]' ${NOTE} 2>&1; } >&1`,
  `printf '[%s]' ${NOTE} | sed -es/x/x/ | sed -n p; node --version >/dev/null`,
  `printf '[%s]' ${NOTE} "$(date)" \`date\` $((1 + 1)) | head -c 0; : '{'; printf '[%s]' ${NOTE}`,
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
  [`echo \\${NOTE}`, 'after a backslash'],
  [`echo \\\\\\${NOTE}`, 'after a backslash'],
  [`echo $${NOTE}`, 'after a $'],
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
  [`set -- a; echo ${NOTE}`, 'its own positional parameters'],
  [`set -o noglob a; echo ${NOTE}`, 'its own positional parameters'],
  [`set -x a; echo ${NOTE}`, 'its own positional parameters'],
  [`shift; echo ${NOTE}`, 'its own positional parameters'],
  [`f() { echo ${NOTE}; }; f`, 'its own positional parameters'],
  [`eval echo ${NOTE}`, 'after eval'],
  [`. ${NOTE}`, 'after .'],
  [`trap ${NOTE} EXIT`, 'after trap'],
  [`[[ ${NOTE} -eq 1 ]]`, 'after [['],
  [`export ${NOTE}`, 'in the place of a command'],
  [`true | xargs sh -c ${NOTE}`, 'after xargs, which runs its words as code'],
  [`v=${NOTE}; sh -c "echo $v"`, 'where sh reads its program'],
  [`v=${NOTE}; sh -c \${v}`, 'where sh reads its program'],
  [`v=${NOTE}; eval "$v"`, 'after eval'],
  [`v=${NOTE}; $v`, 'in the place of a command'],
  [`for v in ${NOTE}; do "$v"; done`, 'in the place of a command'],
  [`v=${NOTE}; psql -c "select '$v'"`, 'after -c, which may take code'],
  [`$SHELL -c ${NOTE}`, 'after -c, which may take code'],
  [`"\${SHELL}" -c "echo" && $SHELL -c ${NOTE}`, 'after -c, which may take code'],
  [`echo ${NOTE} | sh`, 'what it reads from stdin'],
  [`v=${NOTE}; echo "$v" | bash -s`, 'what it reads from stdin'],
  [`PATH=${NOTE} report`, 'in PATH'],
  [`BASH_ENV=${NOTE} bash report.sh`, 'in BASH_ENV'],
  [`export LD_PRELOAD=${NOTE}; ls`, 'in LD_PRELOAD'],
  [`v=${NOTE}; w=$v; eval "$w"`, 'after eval'],
  [`v=${NOTE}; w="x$v"; u=\${w}; sh -c "$u"`, 'where sh reads its program'],
  [`echo ${NOTE} | while read -r v; do eval "$v"; done`, 'after eval'],
  [`echo ${NOTE} | xargs -I{} sh -c {}`, 'what it reads from stdin'],
  [`echo ${NOTE} | python3`, 'what it reads from stdin'],
  [`echo ${NOTE} | sh -`, 'what it reads from stdin'],
  [`echo ${NOTE} > f; sh < f`, 'what it reads from stdin'],
  [`cat ${NOTE} <<EOF\nx\nEOF`, 'here-document'],
  [`echo "open ${NOTE}`, 'is not closed'],
  [`echo $(open ${NOTE}`, 'is not closed'],
  [`echo $'it\\'s' ${NOTE}`, "$'…'"],
])('for a shell, a placeholder that could be more than one word is refused: %s', (line, where) => {
  const refusal = expect.objectContaining({ code: 'argument', message: expect.stringContaining(where) });
  expect(() => compileExecTemplate(line, { shell: true })).toThrow(refusal);
});

const DEFAULT_OF = '$'.concat('{w:=$v}');
const HOME = '$'.concat('{HOME:-none}');

it.each([
  'v={{.x}}; out=$(eval "$v")',
  'v={{.x}}; echo $(sh -c "$v")',
  'v={{.x}}; echo `sh -c "$v"`',
  'v={{.x}}; echo "seen: $(sh -c "$v")"',
  'v={{.x}}; $(echo $v)',
  'v={{.x}}; w=$(echo $v); eval "$w"',
  'v={{.x}}; bash <(echo "$v")',
  'v={{.x}}; echo $(echo $v | sh)',
  `v={{.x}}; : ${DEFAULT_OF}; eval $w`,
  'v={{.x}}; echo $((v))',
  'echo {{.x}} | { w=$(cat); eval "$w"; }',
  'echo {{.x}} | { w="$(cat)"; sh -c "$w"; }',
  'echo {{.x}} | sh /dev/stdin',
  'echo {{.x}} | bash -e /proc/self/fd/0',
])('a value that could become code by a second step is refused: %s', (line) => {
  expect(() => compileExecTemplate(line, { shell: true })).toThrow(expect.objectContaining({ code: 'argument' }));
});

it.each([
  'n={{.x}}; at=$(date +%s); kubectl annotate pod "$n" at="$at"',
  'kubectl label ns {{.x}} at="$(date +%s)"',
  `n={{.x}}; echo "seen: $n, by $(id -un)" ${HOME}`,
])('a substitution without a value in it is taken: %s', (line) => {
  expect(() => compileExecTemplate(line, { shell: true })).not.toThrow();
});
