# fish completion for kubectl-informer
#
# For this shell:   kubectl-informer completion fish | source
# For every shell:  kubectl-informer completion fish > ~/.config/fish/completions/kubectl-informer.fish
#
# `kubectl informer …` needs no script: kubectl's own completion runs kubectl_complete-informer, if that is on PATH.

function __kubectl_informer_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct | string replace -r '^(-[^=]*=)?["\']' '$1')
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete $words "$typed" 2>/dev/null)
    set -l directive (string replace -r '^:' '' -- $lines[-1])
    string match -qr '^[0-9]+$' -- "$directive"; or return
    set -e lines[-1]
    set -l lead (string match -r -- '^-[^=]*=' "$typed")
    set -l value (string replace -r -- '^-[^=]*=' '' "$typed")

    if test (count $lines) -eq 0
        if test (math "bitand($directive, 16)") -ne 0
            __fish_complete_directories "$value" ''
        else if test (math "bitand($directive, 4)") -eq 0
            __fish_complete_path "$value"
        end
        return
    end
    for line in $lines
        printf '%s%s\n' "$lead" $line
    end
    # fish sets a blank behind an only candidate; a second one prevents it
    if test (count $lines) -eq 1; and test (math "bitand($directive, 2)") -ne 0
        printf '%s%s.\n' "$lead" (string split -m 1 \t -- $lines[1])[1]
    end
end

complete -c kubectl-informer -e
complete -c kubectl-informer -f -a '(__kubectl_informer_complete)'
