# Completion for bash: installed as share/bash-completion/completions/weft.
_weft() {
    local word=${COMP_WORDS[COMP_CWORD]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "info doctor env cache report prof check debug bench --help --version" -- "$word"))
    elif [ "${COMP_WORDS[1]}" = cache ]; then
        COMPREPLY=($(compgen -W "size list verify clear --help" -- "$word"))
    elif [ "${COMP_WORDS[1]}" = report ]; then
        COMPREPLY=($(compgen -f -- "$word"))
    elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = prof ]; then
        COMPREPLY=($(compgen -c -f -W "--json -o --html -- --help" -- "$word"))
    elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = check ]; then
        COMPREPLY=($(compgen -c -f -W "--kinds --json --sarif --suppress -- --help" -- "$word"))
    elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = debug ]; then
        COMPREPLY=($(compgen -c -f -W "--lldb -- --help" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _weft weft
